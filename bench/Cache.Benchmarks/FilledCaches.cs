using System.Collections.Concurrent;
using System.Text;
using Cache.Core;
using Microsoft.Extensions.Caching.Memory;

namespace Cache.Benchmarks;

/// <summary>The store and what it is measured against, all filled with the same entries.</summary>
internal sealed class FilledCaches : IDisposable
{
    /// <summary>A power of two: the next key is found by a mask.</summary>
    public const int Keys = 1 << 17;

    public const int ValueLength = 64;

    public FilledCaches()
    {
        byte[] value = new byte[ValueLength];
        var random = new Random(1);
        for (int i = 0; i < Keys; i++)
        {
            Texts[i] = $"key:{i:D12}";
            Names[i] = Encoding.ASCII.GetBytes(Texts[i]);
            random.NextBytes(value);
            Store.Set(Names[i], value);
            Dictionary[Texts[i]] = value.ToArray();
            MemoryCache.Set(Texts[i], value.ToArray());
        }

        // In no order that a prefetcher knows; the same for strings and bytes.
        new Random(2).Shuffle(Texts);
        new Random(2).Shuffle(Names);
    }

    public CacheStore Store { get; } = new(new CacheOptions { MemoryLimitBytes = 256 << 20 });

    public ConcurrentDictionary<string, byte[]> Dictionary { get; } = new(StringComparer.Ordinal);

    public MemoryCache MemoryCache { get; } = new(new MemoryCacheOptions());

    public string[] Texts { get; } = new string[Keys];

    public byte[][] Names { get; } = new byte[Keys][];

    public void Dispose()
    {
        Store.Dispose();
        MemoryCache.Dispose();
    }
}
