using System.Diagnostics;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Adds elements at one end of a list, one after the other.</summary>
internal ref struct PushEdit<TElements>(ListEnd end, TElements elements, SetCondition condition) : IPackedEdit
    where TElements : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TElements Elements = elements;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of elements afterwards.</summary>
    public long Count { get; private set; }

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

    /// <returns>False if there is no room.</returns>
    public static bool TryPush(scoped ref PackedEditor editor, ListEnd end, scoped ReadOnlySpan<byte> element)
    {
        Debug.Assert(end is ListEnd.Left or ListEnd.Right);
        return end == ListEnd.Left ? editor.TryInsert(0, 0, element, default) : editor.TryAdd(element, default);
    }
}
