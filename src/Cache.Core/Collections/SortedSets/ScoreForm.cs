namespace Cache.Core.Collections.SortedSets;

/// <summary>What Redis makes of scores that are put one after the other: its compact encoding has no −0.</summary>
/// <param name="limits">Beyond which the sorted set is converted.</param>
/// <param name="count">The members before.</param>
/// <param name="isConverted">Whether it is already.</param>
internal struct ScoreForm(EncodingLimits limits, long count, bool isConverted)
{
    private long _count = count;
    private bool _isConverted = isConverted;

    /// <summary>A member comes that is new.</summary>
    public void Add(int length) =>
        _isConverted |= _count++ >= limits.SortedSetMembers || length > limits.SortedSetMemberLength;

    /// <summary>The score as it is kept.</summary>
    public readonly double Of(double score) => score == 0 && !_isConverted ? 0 : score;
}
