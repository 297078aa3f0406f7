using Cache.Core;

namespace Cache.Hosting;

/// <summary>The keys of a section that holds a store's options.</summary>
internal static class CacheOptionsSection
{
    public static IReadOnlyList<SectionKey<CacheOptions>> Keys { get; } =
    [
        new(nameof(CacheOptions.MemoryLimitBytes),
            static (entry, options) => entry.Memory(bytes => options.MemoryLimitBytes = bytes)),
        new(nameof(CacheOptions.Eviction),
            static (entry, options) => entry.OneOf<EvictionPolicy>(policy => options.Eviction = policy)),
        new(nameof(CacheOptions.PromotionThreshold),
            static (entry, options) => entry.Integer(value => options.PromotionThreshold = value)),
        new(nameof(CacheOptions.Compression),
            static (entry, options) => entry.OneOf<ValueCompression>(mode => options.Compression = mode)),
        new(nameof(CacheOptions.EstimatesHitRatios),
            static (entry, options) => entry.Switch(value => options.EstimatesHitRatios = value)),
        new(nameof(CacheOptions.ShardCount),
            static (entry, options) => entry.Integer(value => options.ShardCount = value)),
        new(nameof(CacheOptions.KeyspaceCount),
            static (entry, options) => entry.Integer(value => options.KeyspaceCount = value)),
        // A length that is no int is out of range, and reported as such.
        new(nameof(CacheOptions.ValueLengthMax),
            static (entry, options) => entry.Size(
                bytes => options.ValueLengthMax = (int)Math.Min(int.MaxValue, bytes))),
    ];
}
