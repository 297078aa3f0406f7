using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections;

/// <summary>Makes of a list what a journal says, once.</summary>
/// <remarks>
/// A list in a snapshot may be newer than the records that are read after it. A large one has the number of its last
/// change, and what it has already is skipped. A small one is older than all records with its elements: what made it
/// comes before them. A record that belongs to an earlier list of the key is followed by what ended that one; so what
/// it makes of this one is nothing that stays, and positions that are not there are passed over.
/// </remarks>
internal static class StoredListChanges
{
    /// <summary>The number of a write.</summary>
    public static ulong NumberOf(ReadOnlySpan<byte> stored)
    {
        var reader = new ElementReader(stored);
        return reader.TryRead() ? new ListChange(reader.Name, reader.Value).Number : 0;
    }

    /// <summary>Whether bytes of a file are a write of a list.</summary>
    /// <remarks>isCollection: Whether they are a whole list, to which elements are only added.</remarks>
    public static bool AreWhole(ReadOnlySpan<byte> bytes, bool isCollection)
    {
        var reader = new ElementReader(bytes);
        long count = 0;
        ElementAction? action = null;
        for (; reader.TryRead(); count++)
        {
            if (reader.Action != (action ??= reader.Action) || (isCollection && action != ElementAction.Put))
                return false;
            if (!IsWhole(reader, isFirst: count == 0) || (!isCollection && count == ElementChanges.CountMax))
                return false;
            if (isCollection && new ListChange(reader.Name, reader.Value).Position > count)
                return false;
        }

        return count != 0;
    }

    public static WriteStatus Run(scoped ref PackedEditor editor, ReadOnlySpan<byte> stored)
    {
        for (var reader = new ElementReader(stored); reader.TryRead();)
        {
            var change = new ListChange(reader.Name, reader.Value);
            if (TryPlace(reader.Action, change, editor.Count, out int at, out int count)
                && !TryMake(ref editor, reader.Action, change, at, count))
            {
                return WriteStatus.CollectionTooLong;
            }
        }

        return WriteStatus.Done;
    }

    public static void Plan(in ObjectView view, scoped ReadOnlySpan<byte> stored, ElementChanges changes)
    {
        ulong number = NumberOf(stored);
        if (number <= view.Marks.Change)
            return;
        changes.BeginList(number);
        long present = view.Count;
        for (var reader = new ElementReader(stored); reader.TryRead();)
        {
            var change = new ListChange(reader.Name, reader.Value);
            if (!TryPlace(reader.Action, change, present, out int at, out int count))
                continue;
            switch (reader.Action)
            {
                case ElementAction.Put:
                    changes.Insert(change.Position == ListChange.AtEnd ? ListChange.AtEnd : at, change.Value);
                    present++;
                    break;
                case ElementAction.Replace:
                    changes.Replace(at, change.Value);
                    break;
                case ElementAction.Drop:
                    changes.DropFrom(at, count);
                    present -= count;
                    break;
                default:
                    changes.Move(at, change.Target);
                    break;
            }
        }
    }

    private static bool IsWhole(scoped in ElementReader reader, bool isFirst)
    {
        int size = reader.Name.Length;
        if (isFirst ? size != ListChange.FirstNameSize : size is not (0 or ListChange.PositionSize))
            return false;
        var change = new ListChange(reader.Name, reader.Value);
        bool mayBeAtEnd = reader.Action == ElementAction.Put && size != ListChange.PositionSize;
        if (change.Position < (mayBeAtEnd ? ListChange.AtEnd : 0))
            return false;
        return reader.Action switch
        {
            ElementAction.Put or ElementAction.Replace => true,
            ElementAction.Drop =>
                change.Value.Length == sizeof(int) && change.Count is > 0 and <= ElementChanges.CountMax,
            ElementAction.Move => change.Value.Length == ListChange.PositionSize && change.Target >= 0,
            _ => false,
        };
    }

    // False if the list has no such place.
    private static bool TryPlace(
        ElementAction action, scoped in ListChange change, long present, out int at, out int count)
    {
        bool isAtEnd = action == ElementAction.Put && (change.Position < 0 || change.Position > present);
        at = (int)(isAtEnd ? present : Math.Min(change.Position, int.MaxValue));
        count = action == ElementAction.Drop ? (int)Math.Min(change.Count, Math.Max(0, present - at)) : 1;
        return action switch
        {
            ElementAction.Put => true,
            ElementAction.Move => at < present && change.Target < present,
            _ => at < present,
        };
    }

    private static bool TryMake(
        scoped ref PackedEditor editor, ElementAction action, scoped in ListChange change, int at, int count)
    {
        int start = editor.Table.StartAt(at);
        switch (action)
        {
            case ElementAction.Put:
                return editor.TryInsert(at, start, change.Value, default);
            case ElementAction.Replace:
                return editor.Table.TryGetAt(at, out var place) && editor.TrySetName(place, change.Value);
            case ElementAction.Drop:
                editor.RemoveRange(at, count, start, editor.Table.StartAt(at + count));
                return true;
            default:
                return TryMove(ref editor, at, (int)change.Target);
        }
    }

    private static bool TryMove(scoped ref PackedEditor editor, int from, int to)
    {
        if (!editor.Table.TryGetAt(from, out var place))
            return true;
        Span<byte> element = stackalloc byte[PackedTable.LengthMax];
        var name = editor.Table.NameAt(place);
        name.CopyTo(element);
        element = element[..name.Length];
        editor.Remove(place);
        return editor.TryInsert(to, editor.Table.StartAt(to), element, default);
    }
}
