using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Adds elements at one end of a list, one after the other; a step's at most.</summary>
internal ref struct PushEdit<TElements>(ListEnd end, TElements elements, SetCondition condition)
    : IPackedEdit, IObjectEdit
    where TElements : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TElements Elements = elements;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of elements afterwards.</summary>
    public long Count { get; private set; }

    private readonly long Position => end == ListEnd.Left ? 0 : ListChange.AtEnd;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Count = editor.Count;
        if (condition == (editor.Count == 0 ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        for (int i = 0; i < Elements.Count; i++)
        {
            if (!TryPush(ref editor, end, Elements.GetKey(i)))
                return WriteStatus.CollectionTooLong;
        }

        Count = editor.Count;
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        // A condition on an absent list was asked by the packed form, of which this one is built.
        Count = view.Count;
        if (condition == SetCondition.IfAbsent && view.Count != 0)
            return WriteStatus.ConditionNotMet;
        changes.BeginList(view.NextChange);
        for (int i = 0; i < Elements.Count; i++)
            changes.Insert(Position, Elements.GetKey(i));
        Count += Elements.Count;
        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        ReadOnlySpan<byte> name = stackalloc byte[ListChange.FirstNameSize];
        for (int i = 0; i < Elements.Count; i++)
            maker.Add(name[..ListChange.NameSizeOf(isFirst: i == 0, Position)], Elements.GetKey(i));
    }

    public readonly void Note(int added, int removed)
    {
    }

    /// <returns>False if there is no room.</returns>
    public static bool TryPush(scoped ref PackedEditor editor, ListEnd end, scoped ReadOnlySpan<byte> element)
    {
        Debug.Assert(end is ListEnd.Left or ListEnd.Right);
        return end == ListEnd.Left ? editor.TryInsert(0, 0, element, default) : editor.TryAdd(element, default);
    }
}
