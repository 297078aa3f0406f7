using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Core.Layout;

namespace Cache.Reliability.Tests;

/// <summary>Keys that were searched for: all have the same home bucket, as far as the index is split.</summary>
internal static class HotKeys
{
    // Of the hash, the bits that choose a shard and the first pages: keys that agree in them stay together in a store
    // of some megabytes.
    private const int TogetherBits = 4;

    /// <param name="store">Its hash decides; its keyspace is the first.</param>
    /// <param name="prefix">What each begins with.</param>
    /// <param name="count">How many.</param>
    public static string[] Find(CacheStore store, string prefix, int count)
    {
        var keys = new List<string>();
        ulong wanted = 0;
        for (int i = 0; keys.Count < count; i++)
        {
            string key = string.Create(CultureInfo.InvariantCulture, $"{prefix}{i}");
            ulong hash = store.BeginPrefetch(Encoding.Latin1.GetBytes(key)).Value;
            ulong place = (hash >> (64 - TogetherBits) << 16) | (uint)IndexPage.HomeIndexOf(hash);
            if (keys.Count == 0)
                wanted = place;
            if (place == wanted)
                keys.Add(key);
        }

        return [.. keys];
    }
}
