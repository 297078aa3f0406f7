using Cache.Core;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>What must hold of a store whatever was done to it.</summary>
internal static class StoreChecks
{
    // Of the limit: an active segment for each kind of entry, and a page of the index for each shard.
    private const int SlackPercent = 5;

    /// <exception cref="FuzzFailureException">Its index, counts and budget are not those of its entries.</exception>
    public static void RequireWhole(CacheStore store)
    {
        try
        {
            store.Validate();
        }
        catch (InvalidOperationException damage)
        {
            throw new FuzzFailureException(damage.Message);
        }
    }

    /// <summary>Holds of an emptied store: it keeps little of its limit for what comes next.</summary>
    /// <exception cref="FuzzFailureException">It holds entries, or more than that.</exception>
    public static void RequireEmpty(CacheStore store, long bytesBefore)
    {
        if (IsEmpty(store, bytesBefore))
            return;
        var now = store.GetStatistics();
        throw new FuzzFailureException(
            $"Emptied, the store holds {now.Count} entries and {now.MemoryBytes} bytes; at first {bytesBefore}.");
    }

    /// <summary>Whether that holds by now.</summary>
    public static bool IsEmpty(CacheStore store, long bytesBefore)
    {
        var now = store.GetStatistics();
        return now.Count == 0 && now.MemoryBytes <= bytesBefore + now.MemoryLimitBytes * SlackPercent / 100;
    }
}
