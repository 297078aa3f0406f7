namespace Cache.Core.Expiry;

/// <summary>Tells which fields of hashes have expired. Thread-safe.</summary>
/// <remarks>
/// Asked only of fields that have a moment: others cost nothing. While files are loaded, none expires: a later record
/// may give it another moment. If the clock was set back, the end of the load removes what had expired before the last
/// of them was written; until then that is the time.
/// </remarks>
internal sealed class FieldClock(CoarseClock clock)
{
    // No field has expired before this reading; written before and after a load, read by all.
    private long _floorMs = 1;

    /// <summary>The wall clock; fields whose moment is no later have expired. 0 while none does.</summary>
    public long NowMs
    {
        get
        {
            long floor = Volatile.Read(ref _floorMs);
            return floor == 0 ? 0 : Math.Max(clock.Now.UnixMs, floor);
        }
    }

    /// <summary>The same, exact, for writes.</summary>
    public long ReadMs()
    {
        long floor = Volatile.Read(ref _floorMs);
        return floor == 0 ? 0 : Math.Max(clock.Read().UnixMs, floor);
    }

    /// <summary>Whether a field has expired, whose moment may be 0, or garbage.</summary>
    public bool HasPassed(long moment) => moment != 0 && moment <= NowMs;

    /// <summary>Lets no field expire until <see cref="Release"/>.</summary>
    public void Hold() => Volatile.Write(ref _floorMs, 0);

    /// <summary>Lets fields expire again, and those of moments up to one at once.</summary>
    public void Release(long floorMs) => Volatile.Write(ref _floorMs, Math.Max(1, floorMs));
}
