using System.Buffers;
using Cache.Core.Distributed;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>The buffer members allocate nothing once an entry exists.</summary>
public sealed class DistributedStoreAllocationTests : IDisposable
{
    private const int Operations = 1_000;

    private static readonly DistributedCacheEntryOptions _options = new()
    {
        SlidingExpiration = TimeSpan.FromMinutes(1),
        AbsoluteExpirationRelativeToNow = TimeSpan.FromHours(1),
    };

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20 });
    private readonly DistributedStore _cache;
    private readonly ArrayBufferWriter<byte> _writer = new(4096);
    private readonly ReadOnlySequence<byte> _oneSegment = new(new byte[1000]);
    private readonly ReadOnlySequence<byte> _segments = SegmentedBytes.Split(new byte[1000], 300);

    public DistributedStoreAllocationTests() => _cache = new DistributedStore(_store);

    public static TheoryData<string> Keys => ["session:0123456789", "Grüße", new string('k', 3000)];

    [Theory]
    [MemberData(nameof(Keys))]
    public void TryGet_AllocatesNothing(string key)
    {
        _cache.Set(key, _oneSegment, _options);
        AssertAllocatesNothing(() =>
        {
            _writer.ResetWrittenCount();
            _cache.TryGet(key, _writer);
            Assert.True(_cache.TryGetAsync(key, _writer).Result);
        });
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void Set_AllocatesNothing(string key) => AssertAllocatesNothing(() =>
    {
        _cache.Set(key, _oneSegment, _options);
        _cache.Set(key, _segments, _options);
        Assert.True(_cache.SetAsync(key, _segments, _options).IsCompletedSuccessfully);
    });

    public void Dispose() => _store.Dispose();

    // The least of several rounds: the runtime's own work on this thread, such as tiering up, is not what is measured.
    private static void AssertAllocatesNothing(Action operation)
    {
        long least = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Operations; i++)
                operation();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }
}
