using Cache.Core.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Expiry;

/// <summary>Values that are written over others in place where one of both expires.</summary>
public sealed class TimedOverwriteTests : IDisposable
{
    private const long MinuteMs = 60_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(MinuteMs, 2 * MinuteMs)]
    [InlineData(2 * MinuteMs, MinuteMs)]
    public void Set_WithTtlOverOneWithTtl_HasTheNewMoment(long firstMs, long secondMs)
    {
        _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + firstMs));
        _fixture.Set("key", "two", ExpiringAt(_fixture.NowMs + secondMs));

        Assert.Equal(_fixture.NowMs + secondMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal(1, Store.ExpiringCount);
        _fixture.Clock.Advance((int)secondMs - 1);
        Assert.Equal("two", _fixture.Get("key"));
        _fixture.Clock.Advance(1);
        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Set_WithMomentOfTheWallClock_FollowsThatClock()
    {
        _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("key", "two", new EntryOptions { ExpiresAtUnixMs = Store.NowUnixMs + MinuteMs });
        _fixture.Clock.JumpWallClock(TimeSpan.FromMilliseconds(MinuteMs));

        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Set_OverOneWithTtl_EndsOrKeepsTheExpiry()
    {
        long expiresAtMs = _fixture.NowMs + MinuteMs;
        _fixture.Set("key", "one", ExpiringAt(expiresAtMs));
        _fixture.Set("key", "two", new EntryOptions { KeepTtl = true });
        Assert.Equal(expiresAtMs, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal("two", _fixture.Get("key"));

        _fixture.Set("key", "six");

        Assert.Equal(0, _fixture.Peek("key")!.Value.ExpiresAtMs);
        Assert.Equal(0, Store.ExpiringCount);
        Assert.Equal("six", _fixture.Get("key"));
    }

    [Fact]
    public void Set_OverOneThatHasExpired_CountsThat()
    {
        foreach (long expiresAtMs in (long[])[0, _fixture.NowMs + 2 * MinuteMs])
        {
            Store.ResetStatistics();
            _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + 30));
            _fixture.Clock.Advance(30); // No sweep comes meanwhile.
            _fixture.Set("key", "two", ExpiringAt(expiresAtMs));

            Assert.Equal(1, Store.GetStatistics().Expirations);
            Assert.Equal("two", _fixture.Get("key"));
        }
    }

    [Fact]
    public void Set_WithMomentInThePast_RemovesTheEntry()
    {
        _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("key", "two", ExpiringAt(_fixture.NowMs));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void Set_WithAnEarlierMoment_IsSweptThen()
    {
        _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("key", "two", ExpiringAt(_fixture.NowMs + 5_000));
        _fixture.Set("wall", "one", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("wall", "two", new EntryOptions { ExpiresAtUnixMs = Store.NowUnixMs + 5_000 });
        _fixture.Clock.Advance(5_200);

        Assert.Equal(0, Store.Count); // Nothing was read.
    }

    [Fact]
    public void Set_WithTtl_IsToldToObservers()
    {
        var observer = new CountingObserver();
        Store.Attach(observer);
        _fixture.Set("key", "one", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("key", "two", ExpiringAt(_fixture.NowMs + MinuteMs));
        _fixture.Set("key", "six");

        Assert.Equal(3, observer.Count);
    }

    [Fact]
    public void Set_WithTtl_AllocatesNothing()
    {
        byte[] key = Bytes("key");
        Store.Set(key, key, ExpiringAt(_fixture.NowMs + MinuteMs));

        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                Store.Set(key, key, new EntryOptions { ExpiresAtMs = long.MaxValue / 2 + i });
                Store.Set(key, key, new EntryOptions { KeepTtl = true });
                Store.Set(key, key);
            }
        }));
    }

    // Enough keys that some lie outside of their home buckets.
    [Fact]
    public void Writes_OfEachKind_AnswerAsAModel() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var model = new Dictionary<string, (string Value, long ExpiresAtMs)>();
        for (int i = 0; i < 40_000; i++)
        {
            string key = $"key:{random.Next(4_000)}";
            string value = new((char)random.Next('a', 'z'), random.Next(10, 14));
            var (options, expiresAtMs) = Any(random);
            if (options.KeepTtl && model.TryGetValue(key, out var present))
                expiresAtMs = present.ExpiresAtMs;
            Assert.Equal(WriteStatus.Done, _fixture.Set(key, value, options));
            model[key] = (value, expiresAtMs);
        }

        foreach (var (key, (value, expiresAtMs)) in model)
        {
            Assert.Equal(expiresAtMs, _fixture.Peek(key)!.Value.ExpiresAtMs);
            Assert.Equal(value, _fixture.Get(key));
        }

        Assert.Equal(model.Values.Count(static entry => entry.ExpiresAtMs != 0), Store.ExpiringCount);
    });

    private (EntryOptions Options, long ExpiresAtMs) Any(Random random)
    {
        long ms = random.Next(5_000, (int)MinuteMs);
        return random.Next(5) switch
        {
            0 => (default, 0),
            1 => (new EntryOptions { KeepTtl = true }, 0),
            2 => (new EntryOptions { SlidingMs = ms }, _fixture.NowMs + ms),
            3 => (new EntryOptions { ExpiresAtUnixMs = Store.NowUnixMs + ms }, _fixture.NowMs + ms),
            _ => (ExpiringAt(_fixture.NowMs + ms), _fixture.NowMs + ms),
        };
    }

    private sealed class CountingObserver : ChangeObserver
    {
        public int Count { get; private set; }

        public override void Note(in ChangeNote note) => Count++;

        public override void Drain()
        {
        }
    }
}
