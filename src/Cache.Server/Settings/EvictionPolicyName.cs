using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>Redis's eight names of eviction policies, and the store's three policies.</summary>
/// <remarks>
/// The store has one order of eviction, by frequency and age; the names only say which entries may be evicted.
/// </remarks>
internal static class EvictionPolicyName
{
    /// <summary>All names, in the order in which Redis lists them in its error.</summary>
    public static IReadOnlyList<string> All { get; } =
    [
        "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
        "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction",
    ];

    /// <summary>The store's policy for a name of <see cref="All"/>.</summary>
    public static EvictionPolicy ToPolicy(string name) => name switch
    {
        "noeviction" => EvictionPolicy.None,
        _ when name.StartsWith("volatile-", StringComparison.Ordinal) => EvictionPolicy.ExpiringEntries,
        _ => EvictionPolicy.AllEntries,
    };

    /// <summary>The name to show: the one that was set, if it still names the store's policy.</summary>
    public static string Of(EvictionPolicy policy, string lastSet)
    {
        if (ToPolicy(lastSet) == policy)
            return lastSet;
        return policy switch
        {
            EvictionPolicy.None => "noeviction",
            EvictionPolicy.ExpiringEntries => "volatile-lru",
            _ => "allkeys-lru",
        };
    }
}
