using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Reads how many elements a collection has, and its flag.</summary>
internal struct CollectionInfoQuery(PackedShape shape) : IPackedQuery, IObjectQuery
{
    public long Count { get; private set; }

    public bool IsConverted { get; private set; }

    public bool IsTimed { get; private set; }

    public long TimedCount { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        Count = PackedTable.TryOpen(packed, shape, out var table) ? table.Count : 0;
        IsConverted = (PackedTable.FlagsOf(packed) & PackedTable.ConvertedFlag) != 0;
        IsTimed = (PackedTable.FlagsOf(packed) & PackedTable.TimedFlag) != 0;
        TimedCount = IsTimed ? table.CountTimed(0, out _) : 0;
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view) =>
        (Count, IsConverted, IsTimed, TimedCount) =
            (view.Count, view.IsConverted, view.TimedCount != 0, view.TimedCount);

    public readonly void Copy(in ObjectView view)
    {
    }
}
