using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class KeyspaceSweepTests : IAsyncDisposable
{
    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly ServerState _server;
    private readonly KeyspaceSweep _sweep;

    public KeyspaceSweepTests()
    {
        _store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2, KeyspaceCount = 3 }, _time);
        _server = TestServerState.Create(_store);
        _sweep = new KeyspaceSweep(_server);
    }

    public async ValueTask DisposeAsync()
    {
        await _sweep.DisposeAsync();
        _store.Dispose();
    }

    [Fact]
    public void Step_AllKeys_AreCountedByPrefix()
    {
        long size = 0;
        for (int i = 0; i < 3000; i++)
        {
            byte[] key = Encoding.ASCII.GetBytes($"{(i % 2 == 0 ? "user" : "order")}:eu:{i}");
            long expiresAtMs = i % 2 == 0 ? _store.NowMs + 600_000 : 0;
            _store.Set(key, new byte[100], new EntryOptions { ExpiresAtMs = expiresAtMs });
            Assert.True(_store.TryPeekInfo(key, out var info));
            size += i % 2 == 0 ? info.MemoryBytes : 0;
        }

        var pass = Finish();

        Assert.Equal(3000, pass.Keys);
        Assert.True(pass.IsComplete);
        Assert.Equal(2, pass.Prefixes.Count);
        var users = Figures(pass, "user:eu:");
        Assert.Equal((1500, size, 1500), (users.Keys, users.Size, users.Expiring));
        Assert.Equal(1500.0 * 10 * 60 * 1000, users.TimeToLiveMs);
        Assert.Equal((1500, 0, 0), (Figures(pass, "order:eu:").Keys, Figures(pass, "order:eu:").Expiring, 0));
        Assert.Equal(0, _store.GetStatistics().Hits);
    }

    [Fact]
    public void Step_LargestKeys_AreKeptInOrderWithTheirDatabase()
    {
        for (int i = 0; i < 500; i++)
            _store.SelectKeyspace(i % 3).Set(Encoding.ASCII.GetBytes($"key:{i}"), new byte[10 * i]);

        var keys = Finish().Largest;

        Assert.Equal(LargestKeys.CountMax, keys.Count);
        for (int i = 0; i < keys.Count; i++)
        {
            Assert.Equal($"key:{499 - i}", Encoding.ASCII.GetString(keys[i].Key));
            Assert.Equal((10 * (499 - i), (499 - i) % 3), (keys[i].Length, keys[i].Database));
        }
    }

    // The clock of this test stands still, so that slices end by their calls.
    [Fact]
    public void Step_BeforeAPassIsComplete_ShowsWhatItHasFound()
    {
        for (int i = 0; i < 100_000; i++)
            _store.Set(Encoding.ASCII.GetBytes($"k:{i}"), "v"u8);

        Assert.Equal(TimeSpan.FromMilliseconds(200), _sweep.Step());

        var pass = _server.KeyspacePass;
        Assert.NotNull(pass);
        Assert.False(pass.IsComplete);
        Assert.InRange(pass.Keys, 1, 20_000);
        Assert.Equal(pass.Keys, Figures(pass, "k:").Keys);
        Assert.Equal(100_000, Finish().Keys);
    }

    // A slice that took long is followed by a rest that is as much longer.
    [Fact]
    public void Step_EachSlice_TakesTheTwoHundredthPartOfTheTime()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, new SlowClock());
        for (int i = 0; i < 10_000; i++)
            store.Set(Encoding.ASCII.GetBytes($"k:{i}"), "v"u8);
        var sweep = new KeyspaceSweep(TestServerState.Create(store));

        Assert.InRange(sweep.Step(), TimeSpan.FromSeconds(1), TimeSpan.FromHours(1));
    }

    [Fact]
    public void Timer_PassAfterPass_FollowsChanges()
    {
        _store.Set("a:1"u8, "v"u8);
        _time.Advance(200);
        Assert.Equal(1, _server.KeyspacePass?.Keys);
        _store.Set("a:2"u8, "v"u8);
        _time.Advance(59_000);
        Assert.Equal(1, _server.KeyspacePass?.Keys);
        _time.Advance(2000);
        Assert.Equal(2, _server.KeyspacePass?.Keys);
    }

    [Fact]
    public void Step_AnotherSeparator_BeginsAnew()
    {
        for (int i = 0; i < 100_000; i++)
            _store.Set(Encoding.ASCII.GetBytes($"k-{i}:x"), "v"u8);
        _sweep.Step();
        _server.Settings.PrefixSeparator = (byte)'-';

        var pass = Finish();

        Assert.Equal(100_000, pass.Keys);
        Assert.Equal(1, pass.Prefixes.Count);
        Assert.Equal("k-"u8, pass.Prefixes.PrefixAt(0));
    }

    [Fact]
    public void Timer_StoreThatWasDisposed_IsLeftAlone()
    {
        _store.Dispose();

        _time.Advance(10_000);

        Assert.Null(_server.KeyspacePass);
    }

    [Fact]
    public void Step_KeyLongerThanIsKept_HasItsBeginning()
    {
        byte[] key = new byte[LargestKeys.KeyLengthMax + 100];
        _store.Set(key, "v"u8);

        Assert.Equal(LargestKeys.KeyLengthMax, Finish().Largest.Single().Key.Length);
    }

    private KeyspacePass Finish()
    {
        while (_sweep.Step() != KeyspaceSweep.Pause)
        {
        }

        return _server.KeyspacePass!;
    }

    private static PrefixFigures Figures(KeyspacePass pass, string prefix)
    {
        for (int i = 0; i < pass.Prefixes.Count; i++)
        {
            if (pass.Prefixes.PrefixAt(i).SequenceEqual(Encoding.ASCII.GetBytes(prefix)))
                return pass.Prefixes.FiguresAt(i);
        }

        throw new Xunit.Sdk.XunitException($"{prefix} is missing.");
    }

    // Each look at it takes 5 ms.
    private sealed class SlowClock : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Add(ref _ticks, 5 * TimeSpan.TicksPerMillisecond);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new FakeTimeProvider().CreateTimer(callback, state, dueTime, period);
    }
}
