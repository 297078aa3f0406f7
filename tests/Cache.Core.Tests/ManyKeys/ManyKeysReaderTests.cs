using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>How often several keys are read anew.</summary>
public sealed class ManyKeysReaderTests
{
    // Each attempt takes so long that some of the keys expire meanwhile.
    [Fact]
    public void GetMany_OfEntriesThatExpireOneAfterTheOther_EndsAfterItsAttempts()
    {
        var clock = new TickingClock();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, clock);
        byte[][] names = [.. Enumerable.Range(0, 200).Select(static i => Bytes($"{i}"))];
        for (int i = 0; i < names.Length; i++)
            store.Set(names[i], "value"u8, ExpiringAt(store.NowMs + 100 * (i + 1)));
        var keys = new KeyArray(names);
        var sink = new CountingSink();
        clock.TickMs = 1;

        store.GetMany(ref keys, ref sink);

        clock.TickMs = 0;
        Assert.InRange(sink.Restarts, 1, 16);
        int expired = sink.Found.Count(static isFound => !isFound);
        Assert.InRange(expired, 1, names.Length - 1);
        Assert.DoesNotContain(true, sink.Found.Take(expired));
    }

    /// <summary>Notes what is found, and how often it begins anew.</summary>
    private struct CountingSink() : IValueBatchSink
    {
        private readonly byte[] _buffer = new byte[16];

        public readonly bool IsFull => false;

        public List<bool> Found { get; } = [];

        public int Restarts { get; private set; }

        public readonly Span<byte> GetSpan(int length) => _buffer;

        public readonly void Advance(int length) => Found.Add(true);

        public readonly void Miss() => Found.Add(false);

        public void Restart()
        {
            Restarts++;
            Found.Clear();
        }
    }

    /// <summary>Moves on at each look, and has no timers: nothing is swept.</summary>
    private sealed class TickingClock : TimeProvider
    {
        private long _nowMs = 1_000_000;

        public int TickMs { get; set; }

        public override long TimestampFrequency => 1000;

        public override long GetTimestamp() => _nowMs += TickMs;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            base.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }
}
