using Cache.Near.Entries;

namespace Cache.Near.Tests;

/// <summary>A clock of leases that stands still unless it is moved.</summary>
internal sealed class FakeClock
{
    private long _nowMs = 1_000_000;

    public FakeClock() => Clock = new LeaseClock(() => Volatile.Read(ref _nowMs));

    public LeaseClock Clock { get; }

    public void Advance(TimeSpan time) => Interlocked.Add(ref _nowMs, (long)time.TotalMilliseconds);
}
