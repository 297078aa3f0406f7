using Cache.Core.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>What a hit allocates: nothing but the caller's own object.</summary>
public sealed class HybridAllocationTests : IDisposable
{
    private const int Operations = 1_000;
    private const string Key = "order:0123456789";

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20 });
    private readonly StoreHybridCache _cache;

    public HybridAllocationTests() => _cache = new StoreHybridCache(_store, new());

    [Fact]
    public void ReadyObject_AllocatesNothing()
    {
        Put(new Price("EUR", 1));
        Assert.Equal(0, BytesPerHit<Price>());
    }

    [Fact]
    public void ReadyObjectByAKeyThatIsNoString_AllocatesNothing()
    {
        Put("text");
        Assert.Equal(0, BytesPerOperation(() =>
        {
            // A number would be boxed by the handler until that is optimized, in the background.
            ReadOnlySpan<char> number = "123456789";
            var hit = _cache.GetOrCreateAsync(
                $"order:0{number}", 0, static (_, _) => new ValueTask<string>("another"));
            Assert.True(hit.IsCompletedSuccessfully);
        }));
    }

    [Fact]
    public void Bytes_AllocateTheArrayAlone()
    {
        Put(new byte[1_000]);
        Assert.Equal(1_000 + 24, BytesPerHit<byte[]>());
    }

    [Fact]
    public void NumbersWithoutReadyObjects_AllocateNothing()
    {
        var cache = new StoreHybridCache(_store, new() { MaximumReadyObjects = 0 });
        Put(17);
        Assert.Equal(0, BytesPerOperation(() =>
        {
            var hit = cache.GetOrCreateAsync(Key, 0, static (_, _) => new ValueTask<int>(0));
            Assert.True(hit.IsCompletedSuccessfully);
        }));
    }

    public void Dispose() => _store.Dispose();

    private void Put<T>(T value) => Assert.True(_cache.SetAsync(Key, value).IsCompletedSuccessfully);

    private long BytesPerHit<T>() => BytesPerOperation(() =>
    {
        var hit = _cache.GetOrCreateAsync(Key, 0, static (_, _) => new ValueTask<T>(default(T)!));
        Assert.True(hit.IsCompletedSuccessfully);
    });

    // The least of several rounds: the runtime's own work on this thread, such as tiering up, is not what is measured.
    private static long BytesPerOperation(Action operation)
    {
        long least = long.MaxValue;
        for (int round = 0; round < 10; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Operations; i++)
                operation();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least / Operations;
    }
}
