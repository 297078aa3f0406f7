namespace Cache.Core.Validation;

/// <summary>What the entries of the index say of one segment, for a comparison with what it says of itself.</summary>
internal struct SegmentTally
{
    public long LiveBytes;
    public int ExpiringCount;
    public long LargeBytes;
    public long MinDeadlineMs;
    public long MinMomentMs;
}
