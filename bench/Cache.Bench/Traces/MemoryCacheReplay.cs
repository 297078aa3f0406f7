using System.Buffers.Binary;
using Cache.Bench.Subjects;
using Cache.Bench.Verbs;
using Microsoft.Extensions.Caching.Memory;

namespace Cache.Bench.Traces;

/// <summary>Replays a trace through a <see cref="MemoryCache"/> with a size limit of so many entries.</summary>
/// <remarks>
/// A full cache refuses a new entry and makes room in the background, for later ones. In a replay, which takes no time
/// between requests, that would be most of them; so room is made here, in its own way and amount, before it is full.
/// </remarks>
internal static class MemoryCacheReplay
{
    /// <returns>The hits, each checked.</returns>
    public static long Run(uint[] ids, int capacity, int valueLength)
    {
        var options = new MemoryCacheOptions { SizeLimit = capacity };
        using var cache = new MemoryCache(options);
        long hits = 0;
        foreach (uint id in ids)
        {
            string key = BenchKey.ToText((int)id);
            if (cache.TryGetValue(key, out byte[]? stored))
            {
                hits++;
                if (stored!.Length != valueLength || BinaryPrimitives.ReadUInt32LittleEndian(stored) != id)
                    throw new WrongAnswerException($"The value of id {id} is not the one that was set.");
                continue;
            }

            if (cache.Count >= capacity)
                cache.Compact(Math.Max(options.CompactionPercentage, 1.0 / capacity));
            byte[] value = new byte[valueLength];
            BinaryPrimitives.WriteUInt32LittleEndian(value, id);
            cache.Set(key, value, new MemoryCacheEntryOptions { Size = 1 });
            if (!cache.TryGetValue(key, out _))
                throw new WrongAnswerException($"MemoryCache refused id {id} with {cache.Count} entries.");
        }

        return hits;
    }
}
