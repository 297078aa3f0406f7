using System.Text;
using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests;

/// <summary>A store on a fake clock, and short ways of asking it.</summary>
internal sealed class StoreFixture : IDisposable
{
    public const long MemoryLimitBytes = 16 << 20;

    public StoreFixture(Action<CacheOptions>? configure = null)
        : this(KeyedHash.CreateRandom(), configure)
    {
    }

    /// <summary>For tests that depend on which keys are sampled: by the hash.</summary>
    public StoreFixture(KeyedHash hash, Action<CacheOptions>? configure = null)
    {
        var options = new CacheOptions { MemoryLimitBytes = MemoryLimitBytes, ShardCount = 4 };
        configure?.Invoke(options);
        Clock = new FakeTimeProvider();
        Store = new CacheStore(options, Clock, hash);
    }

    public FakeTimeProvider Clock { get; }

    public CacheStore Store { get; }

    public long NowMs => Store.NowMs;

    public static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);

    public static byte[] Filled(int length, byte fill)
    {
        byte[] bytes = new byte[length];
        Array.Fill(bytes, fill);
        return bytes;
    }

    public static EntryOptions ExpiringAt(long expiresAtMs) => new() { ExpiresAtMs = expiresAtMs };

    public static EntryOptions Sliding(long slidingMs, long expiresAtMs = 0) =>
        new() { SlidingMs = slidingMs, ExpiresAtMs = expiresAtMs };

    public WriteStatus Set(string key, string value, in EntryOptions options = default) =>
        Store.Set(Bytes(key), Bytes(value), options);

    public string? Get(string key) => Get(Store, key);

    public static string? Get(CacheStore store, string key) =>
        store.GetArray(Bytes(key)) is { } value ? Encoding.Latin1.GetString(value) : null;

    /// <summary>What is known of a key, without touching it; null if it has no live entry.</summary>
    public EntryInfo? Peek(string key) => Store.TryPeekInfo(Bytes(key), out var info) ? info : null;

    /// <summary>Proves that the test left the store whole, and disposes of it.</summary>
    public void Dispose()
    {
        Store.AssertValid();
        Store.Dispose();
    }
}
