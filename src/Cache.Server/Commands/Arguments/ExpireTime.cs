using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>
/// Converts a client's time argument to a moment: an interval to the store's time, a Unix time to the wall clock.
/// </summary>
internal static class ExpireTime
{
    // For the store 0 means never; for a client it is a moment long past.
    private const long LongPastMs = -1;

    /// <summary>The moment for SET and similar commands, which refuse zero and negative times.</summary>
    /// <returns>False if it is zero or negative, or if the moment does not fit in 64 bits.</returns>
    public static bool TryGetPositive(long time, ExpireUnit unit, CacheStore store, out ExpireMoment moment)
    {
        moment = default;
        return time > 0 && TryGet(time, unit, store, out moment);
    }

    /// <summary>The moment for EXPIRE and similar commands, which may be in the past.</summary>
    /// <returns>False if the moment does not fit in 64 bits.</returns>
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
