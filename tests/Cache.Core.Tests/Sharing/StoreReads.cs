using Cache.Core.Curve;
using Cache.Testing;

namespace Cache.Core.Tests.Sharing;

/// <summary>The kinds of reads whose writes are counted, each over a store in which they were made before.</summary>
internal sealed class StoreReads : IDisposable
{
    public const string Miss = "miss";

    private const int Keys = 64;
    private const int StripeCount = 64;
    private const int HourMs = 3_600_000;

    // A use is counted three times.
    private const int ReadsUntilSteady = 4;

    private readonly StoreFixture _fixture;
    private readonly string _name;
    private readonly ReadOnlyMemory<byte>[] _keys =
        [.. Enumerable.Range(0, Keys).Select(static i => (ReadOnlyMemory<byte>)StoreFixture.Bytes($"key:{i}"))];

    public StoreReads(string name)
    {
        _name = name;
        _fixture = Filled(name switch
        {
            "with TTL" => new EntryOptions { ExpiresAtMs = NowMs(HourMs) },
            "sliding" => new EntryOptions { SlidingMs = HourMs },
            _ => default,
        });
    }

    public static TheoryData<string> Names => ["plain", Miss, "with TTL", "sliding", "TryGetMany", "info"];

    public CacheStore Store => _fixture.Store;

    /// <summary>A moment of the clock that all fixtures begin with.</summary>
    public static long NowMs(long afterMs) =>
        new FakeTimeProvider().GetUtcNow().ToUnixTimeMilliseconds() + afterMs;

    /// <summary>A store of the least size, whose keys were read until another read changes nothing.</summary>
    public static StoreFixture Filled(EntryOptions options)
    {
        var fixture = new StoreFixture(static cache => cache.MemoryLimitBytes = 1 << 20);
        fixture.Store.State.Counters.Samples.Start(AccessSamples.ShiftMax); // Else of a small store each key is noted.
        for (int i = 0; i < Keys; i++)
            fixture.Store.Set(StoreFixture.Bytes($"key:{i}"), StoreFixture.Filled(64, (byte)i), options);
        for (int i = 0; i < ReadsUntilSteady * Keys; i++)
            Assert.NotNull(fixture.Get($"key:{i % Keys}"));
        return fixture;
    }

    /// <summary>Runs an action on a thread with a number of this rest, by which counters have their stripes.</summary>
    public static void OnThreadOf(int stripe, Action action)
    {
        for (bool isDone = false; !isDone;)
        {
            var thread = new Thread(() =>
            {
                isDone = Environment.CurrentManagedThreadId % StripeCount == stripe;
                if (isDone)
                    action();
            });
            thread.Start();
            thread.Join();
        }
    }

    public void Run()
    {
        switch (_name)
        {
            case Miss:
                for (int i = 0; i < Keys; i++)
                    Assert.Null(_fixture.Get($"none:{i}"));
                break;
            case "TryGetMany":
                Assert.Equal(Keys, Store.TryGetMany(_keys, new byte[]?[Keys]));
                break;
            case "info":
                foreach (var key in _keys)
                    Assert.True(Store.TryGetInfo(key.Span, out _));
                break;
            default:
                for (int i = 0; i < Keys; i++)
                    Assert.NotNull(_fixture.Get($"key:{i}"));
                break;
        }
    }

    public void Dispose() => _fixture.Dispose();
}
