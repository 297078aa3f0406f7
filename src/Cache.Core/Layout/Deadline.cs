namespace Cache.Core.Layout;

/// <summary>How an expiry is written in 64 bits: on which of the two clocks, and when.</summary>
/// <remarks>
/// Positive: milliseconds of the store's time, which is monotonic. Negative: Unix milliseconds of the wall clock, with
/// the sign turned; it is the moment that is kept, so it follows a clock that is set later. 0: never, or none.
/// </remarks>
internal static class Deadline
{
    public const long None = 0;

    // To the store 0 is never; a moment before either clock began has passed, like any other up to now.
    private const long LongPastMs = 1;

    public static long OfStore(long storeMs) => storeMs == 0 ? None : Math.Max(LongPastMs, storeMs);

    public static long OfWall(long unixMs) => -Math.Max(LongPastMs, unixMs);

    public static bool IsOfWall(long deadline) => deadline < 0;
}
