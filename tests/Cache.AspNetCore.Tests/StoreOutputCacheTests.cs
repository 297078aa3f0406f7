using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Cache.Core;
using Cache.Testing;
using Microsoft.AspNetCore.OutputCaching;

namespace Cache.AspNetCore.Tests;

public sealed class StoreOutputCacheTests : OutputCacheStoreContract, IDisposable
{
    private const string Key = "key";

    private static readonly TimeSpan _minute = TimeSpan.FromMinutes(1);

    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly StoreOutputCache _cache;

    public StoreOutputCacheTests()
    {
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 4 }, _time);
        _cache = new StoreOutputCache(_store);
    }

    [Fact]
    public async Task Get_AfterItsTime_IsNull()
    {
        await SetAsync(Key, "page", validFor: TimeSpan.FromSeconds(10));
        _time.Advance(9_999);
        Assert.Equal("page", await GetAsync(Key));
        _time.Advance(1);
        Assert.Null(await GetAsync(Key));
    }

    [Fact]
    public async Task Get_KeyThatIsNoString_IsNullUntilItIsSet()
    {
        await SetAsync(Key, "page");
        _store.SetKind("output:key"u8, EntryKind.Hash);

        Assert.Null(await GetAsync(Key));
        Assert.Null(await ReadPipeAsync(Key));
        Assert.Equal(EntryKind.Hash, _store.KindOf("output:key"u8));
        await SetAsync(Key, "other");

        Assert.Equal("other", await GetAsync(Key));
    }

    [Fact]
    public async Task Set_FractionOfAMillisecond_IsRoundedUp()
    {
        await SetAsync(Key, "page", validFor: TimeSpan.FromTicks(1));
        Assert.Equal("page", await GetAsync(Key));
        _time.Advance(1);
        Assert.Null(await GetAsync(Key));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public async Task Set_NoTimeLeft_StoresNothingAndRemovesWhatWasThere(int ticks)
    {
        await SetAsync(Key, "old");
        await SetAsync(Key, "new", validFor: TimeSpan.FromTicks(ticks));
        Assert.Equal(0, _store.Count);
    }

    [Fact]
    public async Task Set_LongestTime_IsTheLastMoment()
    {
        await SetAsync(Key, "page", validFor: TimeSpan.MaxValue);
        Assert.True(_store.TryPeekInfo("output:key"u8, out var info));
        Assert.Equal(DateTimeOffset.MaxValue.ToUnixTimeMilliseconds(), info.ExpiresAtMs);
    }

    [Fact]
    public async Task Get_EvictedResponse_LeavesTheStore()
    {
        await SetAsync("1", "one", tags: "a");
        await SetAsync("2", "two", tags: "a");
        await _cache.EvictByTagAsync("a", Token);
        Assert.Null(await GetAsync("1"));
        Assert.Null(await ReadPipeAsync("2"));
        Assert.Equal(0, _store.Count);
    }

    [Fact]
    public async Task Response_MayBeOfAnyLengthAndTags()
    {
        foreach (int length in (int[])[0, 1, 15, 16, 17, 4_000, 70_000, 3_000_000])
        {
            var response = new byte[length];
            Random.Shared.NextBytes(response);
            foreach (string[] tags in (string[][])[[], ["a"], ["", "b"], [new string('t', 5_000), "ключ"]])
            {
                await _cache.SetAsync(Key, response, tags, _minute, Token);
                Assert.Equal(response, await _cache.GetAsync(Key, Token));
                Assert.Equal(response, await ReadPipeAsync(Key));
            }
        }
    }

    [Fact]
    public async Task Set_Segments_AreOneResponse()
    {
        var response = Encoding.UTF8.GetBytes("a response in pieces");
        foreach (var lengths in Splits.All(response.Length))
        {
            await _cache.SetAsync(Key, InPieces(response, lengths), (string[])["a"], _minute, Token);
            Assert.Equal(response, await _cache.GetAsync(Key, Token));
        }
    }

    [Fact]
    public async Task TryGet_Missing_LeavesThePipeUntouched()
    {
        var pipe = new Pipe();
        Assert.False(await _cache.TryGetAsync(Key, pipe.Writer, Token));
        Assert.Equal(0, pipe.Writer.UnflushedBytes);
    }

    [Fact]
    public async Task TryGet_EvictedResponse_LeavesThePipeUntouched()
    {
        await SetAsync(Key, "page", tags: "a");
        await _cache.EvictByTagAsync("a", Token);
        var pipe = new Pipe();
        Assert.False(await _cache.TryGetAsync(Key, pipe.Writer, Token));
        Assert.Equal(0, pipe.Writer.UnflushedBytes);
    }

    [Fact]
    public async Task Canceled_IsCanceledAtEntry()
    {
        var canceled = new CancellationToken(canceled: true);
        await SetAsync(Key, "page", tags: "a");
        Assert.True(_cache.GetAsync(Key, canceled).IsCanceled);
        Assert.True(_cache.TryGetAsync(Key, PipeWriter.Create(Stream.Null), canceled).IsCanceled);
        Assert.True(_cache.SetAsync(Key, [], null, _minute, canceled).IsCanceled);
        Assert.True(_cache.EvictByTagAsync("a", canceled).IsCanceled);
        Assert.Equal("page", await GetAsync(Key));
    }

    [Theory]
    [InlineData(Key)]
    [InlineData("\ud800")]
    public async Task EveryMember_AfterTheStoresDisposal_Throws(string key)
    {
        await SetAsync(Key, "page", tags: "a");
        _store.Dispose();

        var pipe = new Pipe();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await _cache.GetAsync(key, Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await _cache.TryGetAsync(key, pipe.Writer, Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await _cache.SetAsync(key, [], null, _minute, Token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await _cache.EvictByTagAsync("a", Token));
        Assert.Equal(0, pipe.Writer.UnflushedBytes);
    }

    // A request may hold such a text, and must be answered.
    [Fact]
    public async Task KeyWithoutAForm_IsNeitherCachedNorAnError()
    {
        foreach (string key in (string[])["\ud800", "a\udc00b", new string('k', CacheStore.KeyLengthMax)])
        {
            await SetAsync(key, "page");
            Assert.Null(await GetAsync(key));
            Assert.Null(await ReadPipeAsync(key));
            Assert.Equal(0, _store.Count);
        }
    }

    [Fact]
    public async Task LongestKey_IsAKeyLikeAnother()
    {
        string key = new('k', CacheStore.KeyLengthMax - StoreKey.Prefix.Length);
        await SetAsync(key, "page");
        Assert.Equal("page", await GetAsync(key));
    }

    [Fact]
    public async Task Set_ResponseTooLong_IsDroppedWithWhatWasThere()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ValueLengthMax = 100 });
        var cache = new StoreOutputCache(store);
        await cache.SetAsync(Key, [1], null, _minute, Token);
        Assert.Equal(1, store.Count);
        await cache.SetAsync(Key, new byte[101], null, _minute, Token);
        Assert.Equal(0, store.Count);
    }

    [Fact]
    public async Task Set_NoRoom_IsDroppedWithWhatWasThere()
    {
        _store.Eviction = EvictionPolicy.None;
        await SetAsync(Key, "old");
        await _cache.SetAsync(Key, new byte[17 << 20], null, _minute, Token);
        Assert.Equal(0, _store.Count);
    }

    [Fact]
    public async Task Keys_AreApartFromTheDistributedCaches()
    {
        await SetAsync(Key, "page");
        Assert.False(_store.Contains("key"u8));
        Assert.True(_store.Contains("output:key"u8));
    }

    [Fact]
    public async Task SeveralCachesOverOneStore_SeeTheSameEvictions()
    {
        var other = new StoreOutputCache(_store);
        await SetAsync(Key, "page", tags: "a");
        await other.EvictByTagAsync("a", Token);
        Assert.Null(await GetAsync(Key));
    }

    [Fact]
    public async Task Evict_WhileAnotherThreadWrites_NeverShowsWhatWasThereBefore()
    {
        const int writes = 50_000;
        int written = 0;
        var writer = Task.Run(() =>
        {
            for (int i = 1; i <= writes; i++)
            {
                _cache.SetAsync(Key, BitConverter.GetBytes(i), (string[])["a"], _minute, Token);
                Volatile.Write(ref written, i);
            }
        }, Token);
        while (!writer.IsCompleted)
        {
            int before = Volatile.Read(ref written);
            await _cache.EvictByTagAsync("a", Token);
            if (await _cache.GetAsync(Key, Token) is { } response)
                Assert.True(BitConverter.ToInt32(response) > before);
        }

        await writer;
    }

    [Theory]
    [InlineData("")]
    [InlineData("from outside")]
    [InlineData("long enough that an entry could be behind it")]
    public async Task ForeignValue_IsNoResponseAndGoes(string value)
    {
        _store.Set("output:key"u8, Encoding.UTF8.GetBytes(value));
        Assert.Null(await GetAsync(Key));
        Assert.Equal(0, _store.Count);
    }

    [Fact]
    public void ForeignBytes_AreReadWithinTheirBounds() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        var evictions = new TagTable();
        evictions.Evict("a");
        var valid = new byte[Entry.SizeOf(3, ["a", "bc"])];
        Entry.Write(new ReadOnlySequence<byte>([1, 2, 3]), ["a", "bc"], number: 0, valid);
        for (int i = 0; i < 100_000; i++)
        {
            byte[] bytes = [.. valid];
            for (int mistakes = random.Next(4); mistakes >= 0; mistakes--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            var part = bytes.AsSpan(random.Next(bytes.Length));
            if (Entry.TryRead(part, out int length, out long number, out var tags))
            {
                Assert.InRange(length, 0, part.Length);
                evictions.IsCurrent(number, tags);
            }
        }
    });

    public void Dispose() => _store.Dispose();

    protected override IOutputCacheStore CreateCache() => _cache;

    private static ReadOnlySequence<byte> InPieces(byte[] bytes, IReadOnlyList<int> lengths)
    {
        var first = new Piece(bytes.AsMemory(0, lengths[0]), 0);
        var last = first;
        int offset = lengths[0];
        foreach (int length in lengths.Skip(1))
        {
            last = last.Append(bytes.AsMemory(offset, length));
            offset += length;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private ValueTask SetAsync(string key, string response, TimeSpan? validFor = null, params string[] tags) =>
        _cache.SetAsync(key, Encoding.UTF8.GetBytes(response), tags, validFor ?? _minute, Token);

    private async Task<string?> GetAsync(string key) =>
        await _cache.GetAsync(key, Token) is { } response ? Encoding.UTF8.GetString(response) : null;

    private async Task<byte[]?> ReadPipeAsync(string key)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        if (!await _cache.TryGetAsync(key, pipe.Writer, Token))
            return null;
        await pipe.Writer.CompleteAsync();
        var read = await pipe.Reader.ReadAtLeastAsync(int.MaxValue, Token);
        return read.Buffer.ToArray();
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory, long runningIndex) => (Memory, RunningIndex) = (memory, runningIndex);

        public Piece Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Piece(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
