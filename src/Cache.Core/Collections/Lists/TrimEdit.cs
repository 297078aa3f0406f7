using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes all elements but a range, of a large list a step's at most.</summary>
/// <remarks>
/// rest: What is left to remove, as the steps before know it; null: this is the first one. So what others push
/// meanwhile stays, unless they also pop at that end: then no more goes than there was.
/// </remarks>
internal struct TrimEdit(long first, long last, TrimRest? rest) : IPackedEdit, IObjectEdit
{
    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>What is left to remove.</summary>
    public TrimRest Rest { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Rest = default;
        if (editor.Count == 0 || rest is not null) // Another list by now.
            return WriteStatus.NotFound;
        var (start, length) = ListRange.Within(first, last, editor.Count);
        RemoveFrom(ref editor, (int)(start + length), editor.Count);
        RemoveFrom(ref editor, 0, (int)start);
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var (change, head) = view.Marks;
        Rest = default;
        changes.BeginList(view.NextChange);
        var now = rest ?? Begin(view);
        if (now.Change > change)
            return WriteStatus.NotFound;
        if (rest is null && now.IsAll)
        {
            changes.DropFrom(0, view.Count); // The key goes.
            return WriteStatus.Done;
        }

        now = now with { Change = change };
        long left = ElementChanges.CountMax;
        now.Right = Drop(now.Right, head, view.Count, ref left, changes);
        now.Left = Drop(now.Left, head, view.Count, ref left, changes);
        Rest = now;
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly TrimRest Begin(scoped in ObjectView view)
    {
        var (change, head) = view.Marks;
        var (start, length) = ListRange.Within(first, last, view.Count);
        return new TrimRest
        {
            Change = change,
            IsAll = length == 0,
            Left = (head, head + start),
            Right = (head + start + length, head + view.Count),
        };
    }

    // Behind what is removed all elements come nearer, but at the left end it is that end which moves.
    private static (long From, long End) Drop(
        (long From, long End) part, long head, long count, ref long left, ElementChanges changes)
    {
        long from = Math.Max(part.From, head);
        long dropped = Math.Min(Math.Min(part.End - from, head + count - from), left);
        if (dropped <= 0)
            return part.End - from > 0 && head + count - from > 0 ? (from, part.End) : default;
        changes.DropFrom(from - head, dropped);
        left -= dropped;
        return from == head ? (from + dropped, part.End) : (from, part.End - dropped);
    }

    private static void RemoveFrom(scoped ref PackedEditor editor, int index, int end)
    {
        if (index == end)
            return;
        editor.RemoveRange(index, end - index, editor.Table.StartAt(index), editor.Table.StartAt(end));
    }
}
