namespace Cache.Core;

/// <summary>What a store of another size would answer.</summary>
/// <param name="Scale">Its limit as a multiple of the present one.</param>
/// <param name="MemoryLimitBytes">Its limit in bytes.</param>
/// <param name="HitRatio">The part of the reads that would be hits, 0 to 1; an estimate but for scale 1.</param>
public readonly record struct HitRatioPoint(double Scale, long MemoryLimitBytes, double HitRatio);
