using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Expiry;

/// <summary>Expiries of all kinds that are given, lost and kept where the record lies.</summary>
public sealed class MixedExpiryTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_OfAllKindsOfExpiryAndLengths_IsAsTheModel() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var model = new Dictionary<string, (string Value, long At, long Sliding)>();
        for (int i = 0; i < 100_000; i++)
        {
            string key = new string('k', random.Next(0, 3)) + random.Next(200);
            string value = new((char)random.Next('a', 'z'), random.Next(0, 90));
            long ms = random.Next(900, 60_000);
            long now = _fixture.NowMs;
            long unix = Store.NowUnixMs;
            long sliding = random.Next(900, 60_000);
            bool had = model.TryGetValue(key, out var present);
            var (options, at, slide) = random.Next(9) switch
            {
                0 => (default(EntryOptions), 0L, 0L),
                1 => (new EntryOptions { KeepTtl = true }, had ? present.At : 0, had ? present.Sliding : 0),
                2 => (new EntryOptions { SlidingMs = sliding }, now + sliding, sliding),
                3 => (new EntryOptions { ExpiresAtUnixMs = unix + ms }, now + ms, 0),
                4 => (new EntryOptions { ExpiresAtUnixMs = unix + ms, ExpiresAtMs = now + 1000 + ms / 2 },
                    Math.Min(now + ms, now + 1000 + ms / 2), 0),
                5 => (new EntryOptions { ExpiresAtMs = now + ms, SlidingMs = sliding },
                    now + Math.Min(ms, sliding), sliding),
                6 => (new EntryOptions { ExpiresAtUnixMs = unix + ms, SlidingMs = sliding },
                    now + Math.Min(ms, sliding), sliding),
                7 => (new EntryOptions { KeepTtl = true, ExpiresAtMs = now + ms },
                    had ? present.At : now + ms, had ? present.Sliding : 0),
                _ => (ExpiringAt(now + ms), now + ms, 0),
            };
            Assert.Equal(WriteStatus.Done, _fixture.Set(key, value, options));
            model[key] = (value, at, slide);
            var info = _fixture.Peek(key)!.Value;
            Assert.Equal(at, info.ExpiresAtMs);
            Assert.Equal(slide, info.SlidingMs);
            if (i % 20_000 == 0)
                Store.AssertValid();
        }

        foreach (var (key, entry) in model)
            Assert.Equal(entry.Value, _fixture.Get(key));
        Assert.Equal(model.Values.Count(static e => e.At != 0), Store.ExpiringCount);
        Store.AssertValid();
        _fixture.Clock.Advance(130_000);
        Assert.Equal(model.Values.Count(static e => e.At == 0), Store.Count);
        Assert.Equal(0, Store.ExpiringCount);
        Store.AssertValid();
    });

    [Theory]
    [InlineData(long.MaxValue, 0, 0)]
    [InlineData(0, long.MaxValue, 0)]
    [InlineData(0, 0, long.MaxValue)]
    [InlineData(long.MaxValue, long.MaxValue, long.MaxValue)]
    [InlineData(long.MinValue, 0, 0)]
    [InlineData(0, long.MinValue, 0)]
    [InlineData(-1, -1, 0)]
    [InlineData(long.MinValue, long.MaxValue, 0)]
    [InlineData(long.MaxValue, long.MinValue, 5000)]
    public void Set_OfAnExtremeExpiryOverAnother_IsAsOfANewKey(long at, long unix, long sliding)
    {
        var options = new EntryOptions { ExpiresAtMs = at, ExpiresAtUnixMs = unix, SlidingMs = sliding };
        _fixture.Set("new", "v", options);
        foreach (var before in (EntryOptions[])[default, ExpiringAt(_fixture.NowMs + 5000), Sliding(9000)])
        {
            _fixture.Set("key", "padpadpadpadpadpadpad", before);
            _fixture.Set("key", "padpadpadpadpadpadpaw", options);
            var a = _fixture.Peek("new");
            var b = _fixture.Peek("key");
            Assert.Equal(a.HasValue, b.HasValue);
            Assert.Equal(a?.ExpiresAtMs, b?.ExpiresAtMs);
            Assert.Equal(a?.ExpiresAtUnixMs, b?.ExpiresAtUnixMs);
            Assert.Equal(a?.AbsoluteUnixMs, b?.AbsoluteUnixMs);
            Assert.Equal(_fixture.Get("new") is null, _fixture.Get("key") is null);
            Store.AssertValid();
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(1_299)]
    [InlineData(1_408)]
    [InlineData(2_000)]
    [InlineData(1_200_000)]
    public void Get_OfASlidingEntryInUse_KeepsItsExpiryWithinAPart(int ms)
    {
        _fixture.Set("key", "v", Sliding(ms));
        int step = Math.Max(1, ms / 300);
        for (int i = 0; i < 1_000 && ms > 1; i++)
        {
            _fixture.Clock.Advance(step);
            Assert.Equal("v", _fixture.Get("key"));
            long left = _fixture.Peek("key")!.Value.ExpiresAtMs - _fixture.NowMs;
            Assert.InRange(left, ms - (ms / 128), ms);
        }
    }
}
