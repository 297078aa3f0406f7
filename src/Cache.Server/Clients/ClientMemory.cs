using Cache.Core;
using Cache.Server.Settings;

namespace Cache.Server.Clients;

/// <summary>
/// The memory that all clients hold: bounded, and counted as the store's memory, so that entries are evicted for it.
/// </summary>
/// <remarks>
/// Over the limit the clients that hold most are disconnected, as in Redis (maxmemory-clients), except those that
/// CLIENT NO-EVICT protects. Thread-safe; called only when a client begins to hold more than an idle one does.
/// </remarks>
internal sealed class ClientMemory(
    ServerSettings settings, CacheStore store, ClientRegistry registry, Action<ConnectionLimit, string, long> report)
{
    /// <summary>More than the objects of an idle connection take on an event loop.</summary>
    public const int IdleClientBytes = 2048;

    // The clients' share of the store's memory; entries keep the rest. Requests of usual lengths must fit beside a
    // small store too; still, entries keep a quarter of it.
    private const int DefaultShare = 2;
    private const long DefaultLimitMin = 128 << 20;
    private const int EntriesShareMin = 4;

    // Further bytes of a request of the greatest length: the list of its arguments, the rest of a page.
    private const int RequestSlackBytes = 64 * 1024;

    private readonly Lock _evicting = new();
    private long _bytes;

    /// <summary>The bytes that all clients hold.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>The most bytes that they may hold.</summary>
    public long LimitBytes => settings.ClientMemoryLimit > 0
        ? settings.ClientMemoryLimit
        : DefaultLimitOf(store.MemoryLimitBytes);

    /// <summary>The most bytes of unsent messages of a client that is subscribed to channels.</summary>
    public OutputLimit PubSubLimits => settings.PubSubOutputLimit;

    /// <summary>The time by the store's clock.</summary>
    public long NowMs => store.NowMs;

    /// <summary>The limit where none is set.</summary>
    public static long DefaultLimitOf(long storeBytes) => Math.Max(
        storeBytes / DefaultShare, Math.Min(DefaultLimitMin, storeBytes - storeBytes / EntriesShareMin));

    /// <summary>The most bytes of one client's request while the others are idle.</summary>
    /// <remarks>
    /// Each of the others keeps what an idle client holds; if that is most of the limit, some are disconnected.
    /// </remarks>
    public long RequestBytesMaxOf(ClientSession client)
    {
        if (client.IsProtectedFromEviction)
            return long.MaxValue;
        long limit = LimitBytes;
        return Math.Max(limit - RequestSlackBytes - (long)registry.Count * IdleClientBytes, limit / 2);
    }

    /// <summary>Counts bytes that a client begins or ceases to hold.</summary>
    /// <param name="bytes">The number of bytes; negative if it ceases to hold them.</param>
    /// <param name="lentBytes">Those of them that are values of the store, which counts them itself.</param>
    public void Add(long bytes, long lentBytes = 0)
    {
        Count(bytes, lentBytes);
        if (bytes > 0)
            EvictWhileOverLimit();
    }

    /// <summary>As <see cref="Add"/>, but disconnects no client.</summary>
    public void Count(long bytes, long lentBytes = 0)
    {
        Interlocked.Add(ref _bytes, bytes);
        store.AddOutsideBytes(bytes - lentBytes);
    }

    /// <summary>Disconnects clients if they hold too much.</summary>
    public void EvictWhileOverLimit()
    {
        if (Bytes > LimitBytes)
            Evict();
    }

    /// <summary>Reports that a client met a limit.</summary>
    public void ReportLimit(ConnectionLimit limit, ClientSession client, long value) =>
        report(limit, client.EndPoints.Remote, value);

    // The sum is computed again: the total still has clients that were disconnected a moment ago.
    private void Evict()
    {
        lock (_evicting)
        {
            var clients = registry.ToList();
            clients.RemoveAll(static client => client.IsKilled);
            long sum = (long)clients.Count * IdleClientBytes;
            foreach (var client in clients)
                sum += client.HeldBytes;
            clients.RemoveAll(static client => client.IsProtectedFromEviction || client.HeldBytes == 0);
            clients.Sort(static (one, other) => other.HeldBytes.CompareTo(one.HeldBytes));
            foreach (var client in clients)
            {
                if (sum <= LimitBytes)
                    return;
                sum -= client.HeldBytes;
                ReportLimit(ConnectionLimit.ClientMemory, client, client.HeldBytes);
                client.Kill();
            }
        }
    }
}
