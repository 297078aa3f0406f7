using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Sharding;
using Cache.Testing;

namespace Cache.Core.Tests.Sharding;

/// <summary>Values that there is room for, while the system has no memory for their blocks.</summary>
public sealed class NoMemoryTests
{
    private const int Large = 100_000;

    private static readonly byte[] _key = "key"u8.ToArray();

    [Fact]
    public void SetRange_WithoutMemoryForTheBlock_IsRefused()
    {
        using var state = Create();
        var key = state.KeyOf(_key, 0);
        var shard = state.ShardOf(key.Hash);
        Assert.Equal(WriteStatus.Done, shard.Set(key, new byte[10], default));
        state.Heap.Close();

        Assert.Equal(WriteStatus.OutOfMemory, shard.SetRange(key, 0, new byte[Large], atEnd: true, out int length));

        Assert.Equal(10, length);
        Assert.Equal(WriteStatus.OutOfMemory, shard.Set(key, new byte[Large], default));
        Assert.Equal(0, state.BlockBytes);
        state.Validate();
    }

    [Fact]
    public void SetRange_WithoutMemoryWhileTheStoreIsDisposed_LeavesNoBucketLocked()
    {
        using var state = Create();
        var shard = state.Shards[0];
        byte[] name = Enumerable.Range(0, 100).Select(BitConverter.GetBytes).First(
            bytes => HomeOf(bytes).IndexInPage > 1);
        Assert.Equal(WriteStatus.Done, shard.Set(state.KeyOf(name, 0), new byte[10], default));
        var home = HomeOf(name);
        var first = home.Page[0]; // The disposal waits for it, so that the key still can be written.
        uint firstVersion = first.Lock();
        state.Dispose();
        state.Heap.Close();

        Assert.Throws<ObjectDisposedException>(Append);

        Assert.Equal(0u, home.ReadVersion() & 1);
        first.Unlock(firstVersion, changed: false);

        void Append()
        {
            shard.SetRange(state.KeyOf(name, 0), 0, new byte[Large], atEnd: true, out _);
            state.ThrowIfDisposed(); // As each door does where there was no room.
        }

        Bucket HomeOf(byte[] bytes)
        {
            var bucket = shard.LockHome(state.KeyOf(bytes, 0).Hash, out uint version);
            bucket.Unlock(version, changed: false);
            return bucket;
        }
    }

    private static StoreState Create() => new(
        new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, new FakeTimeProvider(),
        KeyedHash.CreateRandom());
}
