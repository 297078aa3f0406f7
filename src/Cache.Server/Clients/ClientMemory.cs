using Cache.Core;
using Cache.Server.Settings;

namespace Cache.Server.Clients;

/// <summary>
/// What all clients hold together: counted as the store's memory, so that entries make room for it, and bounded.
/// </summary>
/// <remarks>
/// Over the limit the clients that hold most are disconnected, as Redis does it (maxmemory-clients), except those that
/// CLIENT NO-EVICT protects. Thread-safe; asked only when a client begins to hold more than an idle one does.
/// </remarks>
internal sealed class ClientMemory(
    ServerSettings settings, CacheStore store, ClientRegistry registry, Action<ConnectionLimit, string, long> report)
{
    /// <summary>More than the objects of an idle connection take on an event loop.</summary>
    public const int IdleClientBytes = 2048;

    // A share of the store's memory that leaves entries as much. Requests of usual lengths are to pass beside a small
    // store too; still, entries keep a quarter of it.
    private const int DefaultShare = 2;
    private const long DefaultLimitMin = 128 << 20;
    private const int EntriesShareMin = 4;

    // What else a request takes that is as long as it may be: where its arguments lie, the rest of a page.
    private const int RequestSlackBytes = 64 * 1024;

    private readonly Lock _evicting = new();
    private long _bytes;

    /// <summary>How many bytes that are.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>How many they may be.</summary>
    public long LimitBytes => settings.ClientMemoryLimit > 0
        ? settings.ClientMemoryLimit
        : DefaultLimitOf(store.MemoryLimitBytes);

    /// <summary>The limit where none is set.</summary>
    public static long DefaultLimitOf(long storeBytes) => Math.Max(
        storeBytes / DefaultShare, Math.Min(DefaultLimitMin, storeBytes - storeBytes / EntriesShareMin));

    /// <summary>What one request of a client may hold while the others are idle.</summary>
    /// <remarks>
    /// To each of these is left what an idle client holds; where that is most of the limit, some are disconnected.
    /// </remarks>
    public long RequestBytesMaxOf(ClientSession client)
    {
        if (client.IsProtectedFromEviction)
            return long.MaxValue;
        long limit = LimitBytes;
        return Math.Max(limit - RequestSlackBytes - (long)registry.Count * IdleClientBytes, limit / 2);
    }

    /// <summary>Counts bytes that a client holds from now on, or no more.</summary>
    /// <param name="bytes">How many more, or less.</param>
    /// <param name="lentBytes">How many of them are values of the store, which counts these itself.</param>
    public void Add(long bytes, long lentBytes = 0)
    {
        Count(bytes, lentBytes);
        if (bytes > 0)
            EvictWhileOverLimit();
    }

    /// <summary>As <see cref="Add"/>, but disconnects nobody.</summary>
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

    // The sum is taken anew: clients that were disconnected a moment ago still count in the total.
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
                report(ConnectionLimit.ClientMemory, client.EndPoints.Remote, client.HeldBytes);
                client.Kill();
            }
        }
    }
}
