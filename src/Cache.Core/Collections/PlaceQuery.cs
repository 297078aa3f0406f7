using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Expiry;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Finds where a name is, and how many there are; copies nothing.</summary>
/// <remarks>
/// needsRank: Whether the number of an element is asked for, which takes a search of its own. fields: Of a hash.
/// </remarks>
internal ref struct PlaceQuery(PackedShape shape, ReadOnlySpan<byte> name, bool mayFind = true, bool needsRank = false,
    FieldClock? fields = null)
    : IPackedQuery, IObjectQuery
{
    private readonly ReadOnlySpan<byte> _name = name;
    private readonly byte _print = PackedPrint.Of(name);

    /// <summary>The number of entries.</summary>
    public long Count { get; private set; }

    public bool IsFound { get; private set; }

    /// <summary>The number of the entry.</summary>
    public long Index { get; private set; }

    public int ValueLength { get; private set; }

    /// <summary>Of a sorted set: the score.</summary>
    public double Score { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (Count, IsFound, Index, ValueLength, Score) = (0, false, 0, 0, 0);
        if (!PackedTable.TryOpen(packed, shape, out var table))
            return;
        Count = table.Count;
        if (fields is not null && (PackedTable.FlagsOf(packed) & PackedTable.TimedFlag) != 0)
            Count -= table.CountTimed(0, out _) - table.CountTimed(fields.NowMs, out _);
        if (!mayFind || !table.TryFind(_name, _print, out var place))
            return;
        if (fields is not null && fields.HasPassed(place.Moment))
            return;
        IsFound = true;
        Index = place.Index;
        ValueLength = place.ValueLength;
        if (shape.HasValues && PackedScore.TryRead(table.ValueAt(place), out double score))
            Score = score;
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        (Count, IsFound, Index, ValueLength, Score) = (view.CountLive(), false, 0, 0, 0);
        if (!mayFind)
            return;
        IsFound = view.TryFindName(_name, out var entry) && (fields is null || !fields.HasPassed(entry.Moment));
        ValueLength = entry.ValueLength;
        if (!IsFound || view.Kind != EntryKind.SortedSet)
            return;
        PackedScore.TryRead(entry.Value, out double score);
        Score = score;
        if (needsRank && view.TryFindRank(_name, score, entry, out uint rank))
            Index = rank;
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
