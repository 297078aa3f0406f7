namespace Cache.Core.Layout;

/// <summary>An expiry in 64 bits: the clock and the moment.</summary>
/// <remarks>
/// Positive: milliseconds of the store's time, which is monotonic. Negative: Unix milliseconds of the wall clock,
/// negated; since the moment itself is stored, it stays right if that clock is set later. 0: never, or none.
/// </remarks>
internal static class Deadline
{
    public const long None = 0;

    // For the store 0 means never; a moment before either clock began has passed.
    private const long LongPastMs = 1;

    public static long OfStore(long storeMs) => storeMs == 0 ? None : Math.Max(LongPastMs, storeMs);

    public static long OfWall(long unixMs) => -Math.Max(LongPastMs, unixMs);

    public static bool IsOfWall(long deadline) => deadline < 0;
}
