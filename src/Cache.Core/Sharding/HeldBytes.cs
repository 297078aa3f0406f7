using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>What a write has taken and no entry points at yet, while it looks for more room.</summary>
/// <param name="RecordBytes">Of records in segments, which cannot be reclaimed until these are complete.</param>
/// <param name="BlockBytes">Of large blocks.</param>
/// <param name="PrepaidBytes">Of the budget alone.</param>
internal readonly record struct HeldBytes(long RecordBytes, long BlockBytes, long PrepaidBytes)
{
    public static HeldBytes OfBlock(LargeBlock block) => new(0, block.IsNull ? 0 : block.SizeBytes, 0);

    public static HeldBytes operator +(HeldBytes one, HeldBytes other) => new(
        one.RecordBytes + other.RecordBytes,
        one.BlockBytes + other.BlockBytes,
        one.PrepaidBytes + other.PrepaidBytes);

    public static HeldBytes operator -(HeldBytes one, HeldBytes other) => new(
        one.RecordBytes - other.RecordBytes,
        one.BlockBytes - other.BlockBytes,
        one.PrepaidBytes - other.PrepaidBytes);
}
