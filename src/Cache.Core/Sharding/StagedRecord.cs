using Cache.Core.Changes;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A record with room for a new value, before readers are pointed at it; perhaps the old one itself.</summary>
internal readonly struct StagedRecord(Record target, RecordHeader header, RecordExpiry expiry, bool isInPlace)
{
    public readonly Record Target = target;
    public readonly RecordHeader Header = header;
    public readonly RecordExpiry Expiry = expiry;
    public readonly bool IsInPlace = isInPlace;

    /// <summary>The block of a large value that was made for this record, or none.</summary>
    /// <remarks>The record has its address too, but one that nothing points at goes with a disposed store.</remarks>
    public LargeBlock Block { get; init; }

    /// <summary>What listeners are told when it is published.</summary>
    public ChangeKind Kind { get; init; }

    public ChangeCause Cause { get; init; }

    /// <summary>The value's bytes in the record, to be written before the record is published.</summary>
    public Span<byte> Value => Target.ValueOf(Header);
}
