namespace Cache.Core;

/// <summary>What stores of other sizes would answer of the reads of the last minutes.</summary>
/// <remarks>
/// Simulated over a part of the keys. With some thousand sampled keys the estimates are mostly within a few points;
/// entries that
/// the application would not write again after a miss, and the effects of policies other than
/// <see cref="EvictionPolicy.AllEntries"/>, are not known to the simulation.
/// </remarks>
public sealed record HitRatioCurve
{
    /// <summary>From the smallest to the largest size: a quarter, half, all, twice and four times the limit.</summary>
    public required IReadOnlyList<HitRatioPoint> Points { get; init; }

    /// <summary>Whether enough reads were seen; if not, the points have no meaning.</summary>
    public required bool IsKnown { get; init; }

    /// <summary>Sampled keys that are in the store now.</summary>
    public required int SampledKeys { get; init; }

    /// <summary>One key of so many is sampled.</summary>
    public required long KeysPerSample { get; init; }

    /// <summary>
    /// The part of the reads that would be hits with this limit, between the points in a straight line.
    /// </summary>
    /// <param name="memoryLimitBytes">Limits beyond the points are taken for the nearest one.</param>
    public double HitRatioAt(long memoryLimitBytes)
    {
        for (int i = 1; i < Points.Count; i++)
        {
            var (below, above) = (Points[i - 1], Points[i]);
            if (memoryLimitBytes > above.MemoryLimitBytes)
                continue;
            double part = (double)(memoryLimitBytes - below.MemoryLimitBytes)
                / Math.Max(1, above.MemoryLimitBytes - below.MemoryLimitBytes);
            return below.HitRatio + (above.HitRatio - below.HitRatio) * Math.Clamp(part, 0, 1);
        }

        return Points[^1].HitRatio;
    }
}
