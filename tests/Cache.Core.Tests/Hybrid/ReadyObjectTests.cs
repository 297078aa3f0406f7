using System.Text;
using Cache.Core.Hybrid;
using Cache.Testing;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Ready objects: served as they are, and never when their value is another.</summary>
public sealed class ReadyObjectTests : IDisposable
{
    private readonly HybridFixture _fixture = new();

    public static TheoryData<string> Doors => ["set", "remove", "append", "range", "rename to", "rename from",
        "copy to", "expire", "many", "increment", "get and expire", "clear", "if unchanged", "take"];

    [Fact]
    public async Task ImmutableObject_IsServedAsItIs()
    {
        await MakeReady("k", new Price("EUR", 1));
        var first = await _fixture.GetPresent<Price>("k");
        Assert.Same(first, await _fixture.GetPresent<Price>("k"));
        Assert.Same(first, await _fixture.Cache.GetOrCreateAsync(
            "k".AsSpan(), _ => ValueTask.FromResult<Price>(null!), cancellationToken: HybridFixture.Token));
        Assert.Equal(3, _fixture.Statistics.ReadyHits);
    }

    [Fact]
    public async Task ObjectsThatCouldChange_AreNotServedTwice()
    {
        await MakeReady("order", Order.Example());
        await MakeReady("open", new OpenPrice("EUR"));
        await MakeReady("bytes", new byte[] { 1 });
        Assert.Equal(0, _fixture.Statistics.ReadyHits);
    }

    [Theory]
    [MemberData(nameof(Doors))]
    public async Task WriteByAnotherDoor_IsSeenByTheNextCall(string door)
    {
        await MakeReady("k", "1");
        Assert.Equal("1", await _fixture.GetPresent<string>("k"));
        Assert.Equal(1, _fixture.Statistics.ReadyHits);
        Write(door);
        string? present = _fixture.Store.GetArray("k"u8) is { } bytes ? Encoding.UTF8.GetString(bytes) : null;
        Assert.NotEqual("1", present);
        Assert.Equal(present ?? "made anew", await _fixture.Get("k", "made anew"));
    }

    [Fact]
    public async Task EntryWithAMomentOfTheWallClock_IsNotServedAfterThatIsSet()
    {
        await MakeReady("k", "1");
        long unixMs = _fixture.Time.GetUtcNow().ToUnixTimeMilliseconds() + 60_000;
        _fixture.Store.ExpireAtUnixMs("k"u8, unixMs, ExpireConditions.None);
        Assert.Equal("1", await _fixture.GetPresent<string>("k"));

        _fixture.Time.JumpWallClock(TimeSpan.FromMinutes(1));

        Assert.Equal("made anew", await _fixture.Get("k", "made anew"));
    }

    [Fact]
    public async Task EvictedEntry_IsNotServed()
    {
        // Only what expires is evicted, and of that there is one entry.
        using var fixture = new HybridFixture(configureStore: o =>
            (o.MemoryLimitBytes, o.Eviction) = (CacheOptions.MemoryLimitMin, EvictionPolicy.ExpiringEntries));
        await fixture.Get("k", "v");
        await fixture.GetPresent<string>("k");
        var filler = new byte[1000];
        for (int i = 0; fixture.Store.TryPeekInfo("k"u8, out _); i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(BitConverter.GetBytes(i), filler));
        Assert.Equal("w", await fixture.Get("k", "w"));
    }

    [Fact]
    public async Task ReadyHits_KeepTheEntryFromEviction()
    {
        using var fixture = new HybridFixture(configureStore: o => o.MemoryLimitBytes = CacheOptions.MemoryLimitMin);
        await fixture.Get("k", "v");
        var filler = new byte[1000];
        for (int i = 0; i < 20_000; i++)
        {
            fixture.Store.Set(BitConverter.GetBytes(i), filler);
            Assert.Equal("v", await fixture.GetPresent<string>("k"));
        }

        Assert.True(fixture.Statistics.ReadyHits > 10_000, $"{fixture.Statistics}");
    }

    [Fact]
    public async Task SlidingEntry_IsRenewedByEachRead()
    {
        _fixture.Store.Set("k"u8, "v"u8, new EntryOptions { SlidingMs = 10_000 });
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal("v", await _fixture.GetPresent<string>("k"));
            _fixture.Time.Advance(6_000);
        }
    }

    [Fact]
    public async Task AnotherType_GetsAnObjectOfItsOwn()
    {
        await MakeReady("k", "42");
        Assert.Equal(42, await _fixture.GetPresent<int>("k"));
        Assert.Equal("42", await _fixture.GetPresent<string>("k"));
        Assert.Equal("42"u8.ToArray(), await _fixture.GetPresent<byte[]>("k"));
    }

    [Fact]
    public async Task Set_IsSeenByTheNextCall()
    {
        await MakeReady("k", "v");
        await _fixture.Cache.SetAsync("k", "w", cancellationToken: HybridFixture.Token);
        Assert.Equal("w", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task NoReadyObjects_IsAnOption()
    {
        using var fixture = new HybridFixture(o => o.MaximumReadyObjects = 0);
        await fixture.Get("k", "v");
        await fixture.GetPresent<string>("k");
        await fixture.GetPresent<string>("k");
        Assert.Equal((0, 2), (fixture.Statistics.ReadyHits, fixture.Statistics.StoreHits));
    }

    [Fact]
    public async Task LongPayload_IsNotKeptReady()
    {
        using var fixture = new HybridFixture(o => o.MaximumReadyPayloadBytes = 10);
        foreach (int length in (int[])[10, 11])
        {
            string key = $"k{length}";
            await fixture.Get(key, new string('v', length));
            await fixture.GetPresent<string>(key);
            await fixture.GetPresent<string>(key);
        }

        Assert.Equal((1, 3), (fixture.Statistics.ReadyHits, fixture.Statistics.StoreHits));
    }

    [Fact]
    public async Task KeyOfAnotherKeyspace_IsAnotherKey()
    {
        await MakeReady("k", "v");
        var other = new StoreHybridCache(_fixture.Store.SelectKeyspace(1), new());
        Assert.Equal("w", await other.GetOrCreateAsync(
            "k", _ => ValueTask.FromResult("w"), cancellationToken: HybridFixture.Token));
        Assert.Equal("v", await _fixture.GetPresent<string>("k"));
    }

    public void Dispose() => _fixture.Dispose();

    private async Task MakeReady<T>(string key, T value)
    {
        await _fixture.Get(key, value);
        await _fixture.GetPresent<T>(key);
    }

    private void Write(string door)
    {
        var store = _fixture.Store;
        var sink = default(ArraySink);
        switch (door)
        {
            case "set":
                store.Set("k"u8, "2"u8);
                break;
            case "remove":
                store.Remove("k"u8);
                break;
            case "append":
                store.Append("k"u8, "2"u8, out _);
                break;
            case "range":
                store.SetRange("k"u8, 0, "2"u8, out _);
                break;
            case "rename to":
                store.Set("l"u8, "2"u8);
                store.Rename("l"u8, "k"u8, SetCondition.Always);
                break;
            case "rename from":
                store.Rename("k"u8, "l"u8, SetCondition.Always);
                break;
            case "copy to":
                store.Set("l"u8, "2"u8);
                store.Copy("l"u8, store, "k"u8, SetCondition.Always);
                break;
            case "expire":
                store.Expire("k"u8, store.NowMs - 1, ExpireConditions.None);
                break;
            case "many":
                var entries = new EntryArray(("k"u8.ToArray(), "2"u8.ToArray()));
                store.SetMany(ref entries, SetCondition.Always);
                break;
            case "increment":
                store.Increment("k"u8, 1, out _);
                break;
            case "get and expire":
                store.TryGetAndExpire("k"u8, store.NowMs - 1, ref sink);
                break;
            case "clear":
                store.Clear();
                break;
            case "if unchanged":
                store.TryGetInfo("k"u8, out var info);
                store.SetIfUnchanged("k"u8, "2"u8, default, info.Version);
                break;
            case "take":
                store.TryRemove("k"u8, ref sink);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(door), door, "There is no such door.");
        }
    }
}
