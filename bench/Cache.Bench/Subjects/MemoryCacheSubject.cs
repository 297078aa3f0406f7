using Microsoft.Extensions.Caching.Memory;

namespace Cache.Bench.Subjects;

/// <summary>The framework's <see cref="MemoryCache"/> of arrays, without a size limit.</summary>
internal sealed class MemoryCacheSubject()
    : ArraySubject<MemoryCacheSubject.CacheMap>("memorycache", new(new MemoryCache(new MemoryCacheOptions())))
{
    public override long Count => Map.Cache.Count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive)
    {
        if (timeToLive == default)
            Map.Set(key, value.ToArray());
        else
            Map.Cache.Set(key, value.ToArray(), timeToLive);
    }

    public override void Dispose() => Map.Cache.Dispose();

    internal readonly struct CacheMap(MemoryCache cache) : IArrayMap
    {
        public MemoryCache Cache => cache;

        public bool TryGet(string key, out byte[]? value) => cache.TryGetValue(key, out value);

        public void Set(string key, byte[] value) => cache.Set(key, value);
    }
}
