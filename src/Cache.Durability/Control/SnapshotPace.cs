namespace Cache.Durability.Control;

/// <summary>Holds a snapshot back, so that clients keep the processors and the disk.</summary>
/// <remarks>
/// The limit holds for any tenth of a second: time in which nothing could be written is not made up for. One snapshot
/// uses it at a time.
/// </remarks>
/// <param name="getRate">The limit in bytes per second; 0: none.</param>
/// <param name="mustStop">Whether the snapshot must stop: then it is not held back.</param>
internal sealed class SnapshotPace(Func<long> getRate, Func<bool> mustStop)
{
    private const long MsPerSecond = 1_000;

    // The longest time until a stop or a new limit is seen, and for which a delay is made up.
    private const long PeriodMs = 100;

    // The store's may stand still in tests, and no snapshot would end.
    private static readonly TimeProvider _time = TimeProvider.System;

    private long _bytesBefore;
    private long _startBytes;
    private long _startTicks;

    /// <summary>Waits until the next bytes may be written.</summary>
    /// <param name="bytes">The bytes of the snapshot so far.</param>
    public void Wait(long bytes)
    {
        if (bytes < _bytesBefore || _startTicks == 0)
            Begin(bytes); // Another snapshot.
        _bytesBefore = bytes;
        while (getRate() is > 0 and var rate && !mustStop())
        {
            long dueMs = (bytes - _startBytes) * MsPerSecond / rate;
            long aheadMs = dueMs - (long)_time.GetElapsedTime(_startTicks).TotalMilliseconds;
            if (aheadMs <= 0)
            {
                if (dueMs > PeriodMs || aheadMs < -PeriodMs)
                    Begin(bytes);
                return;
            }

#pragma warning disable RS0030 // It is a thread of its own, and the delay is the purpose.
            Thread.Sleep((int)Math.Min(aheadMs, PeriodMs));
#pragma warning restore RS0030
        }
    }

    private void Begin(long bytes) => (_startBytes, _startTicks) = (bytes, _time.GetTimestamp());
}
