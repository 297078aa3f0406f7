using ZiggyCreatures.Caching.Fusion;

namespace Cache.Bench.Subjects;

/// <summary>FusionCache of arrays, without a size limit and without a second level.</summary>
internal sealed class FusionCacheSubject()
    : ArraySubject<FusionCacheSubject.FusionMap>("fusioncache", new(new FusionCache(new FusionCacheOptions())))
{
    private long _count;

    /// <summary>It counts no entries: what was loaded and is there.</summary>
    public override long Count => _count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive)
    {
        Map.Cache.Set(key, value.ToArray(), timeToLive == default ? TimeSpan.FromDays(1) : timeToLive);
        if (Map.TryGet(key, out byte[]? stored) && value.SequenceEqual(stored))
            _count++;
    }

    public override void Dispose() => Map.Cache.Dispose();

    internal readonly struct FusionMap(FusionCache cache) : IArrayMap
    {
        public FusionCache Cache => cache;

        public bool TryGet(string key, out byte[]? value)
        {
            var found = cache.TryGet<byte[]>(key);
            value = found.HasValue ? found.Value : null;
            return found.HasValue;
        }

        public void Set(string key, byte[] value) => cache.Set(key, value);
    }
}
