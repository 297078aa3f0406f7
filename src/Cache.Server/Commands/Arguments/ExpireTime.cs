using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>
/// Turns what a client states into a moment: an interval into one of the store's time, any other is the wall clock's.
/// </summary>
internal static class ExpireTime
{
    // The store takes 0 for never; for a client it is a moment long past, like any other up to now.
    private const long LongPastMs = -1;

    /// <summary>The moment for SET and its kin, which take no time that is zero or negative.</summary>
    /// <returns>False if it is, or if the moment does not fit 64 bits.</returns>
    public static bool TryGetPositive(long time, ExpireUnit unit, CacheStore store, out ExpireMoment moment)
    {
        moment = default;
        return time > 0 && TryGet(time, unit, store, out moment);
    }

    /// <summary>The moment for EXPIRE and its kin, which may lie in the past.</summary>
    /// <returns>False if the moment does not fit 64 bits.</returns>
    public static bool TryGet(long time, ExpireUnit unit, CacheStore store, out ExpireMoment moment)
    {
        moment = default;
        if (unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds)
        {
            if (time is > long.MaxValue / 1000 or < long.MinValue / 1000)
                return false;
            time *= 1000;
        }

        bool isRelative = unit is ExpireUnit.Seconds or ExpireUnit.Milliseconds;
        long startMs = isRelative ? store.NowMs : 0;
        if (time > long.MaxValue - startMs)
            return false;
        long atMs = time + startMs;
        if (atMs == 0)
            atMs = LongPastMs;
        moment = isRelative ? new ExpireMoment(atMs, 0) : new ExpireMoment(0, atMs);
        return true;
    }
}
