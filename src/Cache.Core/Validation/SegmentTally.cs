namespace Cache.Core.Validation;

/// <summary>The entries of the index in one segment, to be compared with the segment's own counts.</summary>
internal struct SegmentTally
{
    public long LiveBytes;
    public int ExpiringCount;
    public long LargeBytes;
    public long MinDeadlineMs;
    public long MinMomentMs;
}
