namespace Cache.Reliability.Tests.Heavy;

/// <summary>What a simulation went through, and the most that it met.</summary>
internal sealed record HeavyReport
{
    public int Requests { get; init; }

    public long Bytes { get; init; }

    public int Cuts { get; init; }

    public int Refusals { get; init; }

    public int LimitChanges { get; init; }

    public int Lent { get; init; }

    public long Evictions { get; init; }

    public TimeSpan LongestTurn { get; init; }

    public TimeSpan LongestRead { get; init; }

    public double ResidentShareMax { get; init; }
}
