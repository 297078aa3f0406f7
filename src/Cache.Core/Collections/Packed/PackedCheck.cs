namespace Cache.Core.Collections.Packed;

/// <summary>Whether bytes are a packed collection that the store could have made: of a file, or of a record.</summary>
internal static class PackedCheck
{
    /// <summary>The form of a kind's entries.</summary>
    /// <returns>False if there is no packed form of the kind.</returns>
    public static bool TryGetShape(EntryKind kind, out PackedShape shape)
    {
        shape = kind switch
        {
            EntryKind.Hash => PackedShape.Hash,
            EntryKind.Set => PackedShape.Set,
            EntryKind.SortedSet => PackedShape.SortedSet,
            _ => PackedShape.List,
        };
        // A stream is never packed; as such it has no entries.
        return kind is EntryKind.Hash or EntryKind.Set or EntryKind.SortedSet or EntryKind.List or EntryKind.Stream;
    }

    public static bool IsWhole(EntryKind kind, ReadOnlySpan<byte> packed)
    {
        if (kind == EntryKind.Stream || !TryGetShape(kind, out var shape) || packed.Length > PackedTable.LengthMax
            || !PackedTable.TryOpen(packed, shape, out var table) || table.Count == 0
            || (PackedTable.FlagsOf(packed) & ~FlagsOf(kind)) != 0)
        {
            return false;
        }

        var place = PackedTable.BeforeFirst;
        int end = 0;
        double score = double.NegativeInfinity;
        bool isTimed = (PackedTable.FlagsOf(packed) & PackedTable.TimedFlag) != 0;
        while (table.TryMoveNext(ref place))
        {
            if (place.Moment != 0 && (!isTimed || !FieldMoment.IsValid(place.Moment)))
                return false;
            if (!IsRightAt(table, shape, place) || (kind == EntryKind.SortedSet && !IsInOrder(table, place, ref score)))
                return false;
            end = place.End;
        }

        return place.Index == table.Count - 1 && end == table.Entries.Length;
    }

    /// <summary>What the store holds was whole when it was written.</summary>
    public static void ThrowDamaged() =>
        throw new InvalidOperationException("The store is damaged: a collection cannot be read.");

    private static int FlagsOf(EntryKind kind) =>
        PackedTable.ConvertedFlag | (kind == EntryKind.Hash ? PackedTable.TimedFlag : 0);

    // The same name further ahead would be another's value.
    private static bool IsRightAt(in PackedTable table, PackedShape shape, in PackedPlace place)
    {
        var name = table.NameAt(place);
        if (place.NameLength < PackedTable.LongMark != (table.Lengths[place.Index] != PackedTable.LongMark))
            return false;
        bool isLong = place.ValueLength >= PackedTable.LongMark || place.Moment != 0;
        if (shape.HasValues && isLong != (table.ValueLengths[place.Index] == PackedTable.LongMark))
            return false;

        if (!shape.HasPrints)
            return true;
        byte print = PackedPrint.Of(name);
        return table.Prints[place.Index] == print && table.TryFind(name, print, out var first)
            && first.Index == place.Index;
    }

    private static bool IsInOrder(in PackedTable table, in PackedPlace place, ref double before)
    {
        if (!PackedScore.IsWhole(table.ValueAt(place), out double score) || score < before)
            return false;
        bool isSame = score == before && place.Index > 0;
        before = score;
        return !isSame || (table.TryGetAt(place.Index - 1, out var last)
            && table.NameAt(last).SequenceCompareTo(table.NameAt(place)) < 0);
    }
}
