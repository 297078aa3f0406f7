using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Hosting;

/// <summary>The keys of a section that holds a hybrid cache's options: all but objects of the program.</summary>
internal static class HybridStoreOptionsSection
{
    private const string Defaults = nameof(HybridStoreOptions.DefaultEntryOptions);

    public static IReadOnlyList<SectionKey<HybridStoreOptions>> Keys { get; } =
    [
        new($"{Defaults}:{nameof(HybridCacheEntryOptions.Expiration)}",
            static (entry, options) => entry.Interval(value => options.DefaultEntryOptions =
                DefaultsWith(options, value, options.DefaultEntryOptions?.LocalCacheExpiration))),
        new($"{Defaults}:{nameof(HybridCacheEntryOptions.LocalCacheExpiration)}",
            static (entry, options) => entry.Interval(value => options.DefaultEntryOptions =
                DefaultsWith(options, options.DefaultEntryOptions?.Expiration, value))),
        new($"{Defaults}:{nameof(HybridCacheEntryOptions.Flags)}",
            static (entry, options) => entry.SomeOf<HybridCacheEntryFlags>(flags => options.DefaultEntryOptions =
                new HybridCacheEntryOptions
                {
                    Expiration = options.DefaultEntryOptions?.Expiration,
                    LocalCacheExpiration = options.DefaultEntryOptions?.LocalCacheExpiration,
                    Flags = flags,
                })),
        new(nameof(HybridStoreOptions.MaximumKeyLength),
            static (entry, options) => entry.Integer(value => options.MaximumKeyLength = value)),
        new(nameof(HybridStoreOptions.MaximumPayloadBytes),
            static (entry, options) => entry.Size(bytes => options.MaximumPayloadBytes = bytes)),
        new(nameof(HybridStoreOptions.MaximumReadyObjects),
            static (entry, options) => entry.Integer(value => options.MaximumReadyObjects = value)),
        // A length that is no int is out of range, and reported as such.
        new(nameof(HybridStoreOptions.MaximumReadyPayloadBytes),
            static (entry, options) => entry.Size(
                bytes => options.MaximumReadyPayloadBytes = (int)Math.Min(int.MaxValue, bytes))),
        new(nameof(HybridStoreOptions.DistributedCacheServiceKey),
            static (entry, options) => entry.Text(value => options.DistributedCacheServiceKey = value)),
        new(nameof(HybridStoreOptions.UseSecondLevel),
            static (entry, options) => entry.Switch(value => options.UseSecondLevel = value)),
        new(nameof(HybridStoreOptions.FailSafeMaximumDuration),
            static (entry, options) => entry.Interval(value => options.FailSafeMaximumDuration = value)),
        new(nameof(HybridStoreOptions.FailSafeThrottleDuration),
            static (entry, options) => entry.Interval(value => options.FailSafeThrottleDuration = value)),
        new(nameof(HybridStoreOptions.EagerRefreshThreshold),
            static (entry, options) => entry.Number(value => options.EagerRefreshThreshold = value)),
        new(nameof(HybridStoreOptions.FactorySoftTimeout),
            static (entry, options) => entry.Interval(value => options.FactorySoftTimeout = value)),
        new(nameof(HybridStoreOptions.FactoryHardTimeout),
            static (entry, options) => entry.Interval(value => options.FactoryHardTimeout = value)),
    ];

    private static HybridCacheEntryOptions DefaultsWith(
        HybridStoreOptions options, TimeSpan? expiration, TimeSpan? localExpiration) => new()
        {
            Expiration = expiration,
            LocalCacheExpiration = localExpiration,
            Flags = options.DefaultEntryOptions?.Flags,
        };
}
