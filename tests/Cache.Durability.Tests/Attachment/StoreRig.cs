using System.Text;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>A store with a directory that keeps it, on a fake clock.</summary>
internal sealed class StoreRig : IDisposable
{
    public StoreRig(
        StorageDirectory directory, FakeTimeProvider clock, JournalOptions? options = null, bool hasThreads = true,
        Action<CacheOptions>? configure = null, RecoveryMode mode = RecoveryMode.Strict, StoreStart? start = null)
    {
        Store = Create(clock, configure);
        options ??= new JournalOptions { FileBytes = 8 << 20, Chunks = 8, CompressesSnapshots = true };
        try
        {
            Durable = DurableStore.Open(
                Store, directory, options, start ?? new StoreStart { Recovery = mode, HasThreads = hasThreads });
        }
        catch
        {
            Store.Dispose();
            throw;
        }
    }

    public CacheStore Store { get; }

    public DurableStore Durable { get; }

    public static CacheStore Create(FakeTimeProvider clock, Action<CacheOptions>? configure = null)
    {
        var options = new CacheOptions
        {
            MemoryLimitBytes = 256 << 20,
            ShardCount = 4,
            KeyspaceCount = RandomWrites.Keyspaces,
        };
        configure?.Invoke(options);
        return new CacheStore(options, clock);
    }

    /// <summary>Requires that a store holds what another one held.</summary>
    /// <param name="expected">What was written.</param>
    /// <param name="actual">What was loaded.</param>
    /// <param name="hasLapsed">Whether time has passed: an interval without use begins anew with the load.</param>
    public static void AssertSame(CacheStore expected, CacheStore actual, bool hasLapsed = false)
    {
        bool mayBeMore = expected.GetStatistics().Evictions != 0;
        bool mayBeLess = actual.GetStatistics().Evictions != 0;
        for (int keyspace = 0; keyspace < expected.KeyspaceCount; keyspace++)
        {
            var before = expected.SelectKeyspace(keyspace);
            var after = actual.SelectKeyspace(keyspace);
            foreach (string key in before.ScanAll(100).Concat(after.ScanAll(100)).Distinct())
            {
                bool isExpected = before.TryPeekInfo(Encoding.Latin1.GetBytes(key), out _);
                bool isThere = after.TryPeekInfo(Encoding.Latin1.GetBytes(key), out var info);
                if (isExpected && isThere)
                    AssertSame(before, after, key);
                else if (isExpected)
                    Assert.True(mayBeLess, $"{key} is lost.");
                else if (isThere)
                    Assert.True(mayBeMore || (hasLapsed && info.SlidingMs != 0), $"{key} is there again.");
            }
        }
    }

    public void Dispose()
    {
        Durable.Dispose();
        Store.Dispose();
    }

    private static void AssertSame(CacheStore expected, CacheStore actual, string name)
    {
        byte[] key = Encoding.Latin1.GetBytes(name);
        expected.TryPeekInfo(key, out var before);
        actual.TryPeekInfo(key, out var after);
        Assert.Equal((name, before.SlidingMs), (name, after.SlidingMs));
        if (before.SlidingMs == 0)
            Assert.Equal((name, before.ExpiresAtUnixMs), (name, after.ExpiresAtUnixMs));
        Assert.True(
            expected.GetArray(key).AsSpan().SequenceEqual(actual.GetArray(key)), $"{name} has another value.");
    }
}
