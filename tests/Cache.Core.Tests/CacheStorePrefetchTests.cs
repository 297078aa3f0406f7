using System.Text;
using Cache.Testing;

namespace Cache.Core.Tests;

public sealed class CacheStorePrefetchTests
{
    [Fact]
    public void KeysKnownAhead_AreReadAndWrittenAsUsual()
    {
        using var root = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        var store = root.SelectKeyspace(3);
        byte[][] keys = [.. Enumerable.Range(0, 32).Select(i => Encoding.ASCII.GetBytes($"key:{i}"))];
        foreach (byte[] key in keys.Where((_, i) => i % 2 == 0))
            store.Set(key, key);

        KeyHash[] hashes = [.. keys.Select(key => store.BeginPrefetch(key))];
        foreach (var hash in hashes)
            store.EndPrefetch(hash, expectedBytes: 10_000);

        for (int i = 0; i < keys.Length; i++)
        {
            var sink = new ArraySink();
            Assert.Equal(i % 2 == 0, store.TryGet(keys[i], hashes[i], ref sink));
            Assert.Equal(i % 2 == 0 ? keys[i] : null, sink.Array);
            Assert.Equal(WriteStatus.Done, store.Set(keys[i], hashes[i], "new"u8));
            Assert.Equal("new"u8.ToArray(), store.GetArray(keys[i]));
            Assert.Null(root.GetArray(keys[i]));
        }
    }

    [Fact]
    public void Key_ThatIsTooLong_IsRefusedAsUsual()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        byte[] key = new byte[CacheStore.KeyLengthMax + 1];
        var hash = store.BeginPrefetch(key);
        store.EndPrefetch(hash, expectedBytes: 0);

        var sink = new ArraySink();
        Assert.False(store.TryGet(key, hash, ref sink));
        Assert.Equal(WriteStatus.KeyTooLong, store.Set(key, hash, "v"u8));
    }
}
