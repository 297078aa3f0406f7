using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

public sealed class HybridStoreOptionsTests
{
    [Fact]
    public void Defaults_AreValid() => Assert.Empty(new HybridStoreOptions().FindProblems());

    [Fact]
    public void EveryOptionOutOfRange_IsNamedWithValueAndRange()
    {
        var options = new HybridStoreOptions
        {
            DefaultEntryOptions = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(-10) },
            MaximumKeyLength = 0,
            MaximumPayloadBytes = (512L << 20) + 1,
            MaximumReadyObjects = -1,
            MaximumReadyPayloadBytes = -1,
            FailSafeMaximumDuration = TimeSpan.Zero,
            FailSafeThrottleDuration = TimeSpan.FromSeconds(-1),
            EagerRefreshThreshold = 1,
            FactorySoftTimeout = TimeSpan.FromDays(60),
            FactoryHardTimeout = TimeSpan.FromDays(30),
        };
        string[] problems = [.. options.FindProblems()];
        Assert.Equal(
            [
                "HybridStoreOptions.DefaultEntryOptions.Expiration is -00:10:00; it must be above 00:00:00, or nothing"
                    + " is cached.",
                "HybridStoreOptions.MaximumKeyLength is 0; it must be between 1 and 65535.",
                "HybridStoreOptions.MaximumPayloadBytes is 536870913; it must be between 1 and 536870912.",
                "HybridStoreOptions.MaximumReadyObjects is -1; it must be between 0 and 1048576.",
                "HybridStoreOptions.MaximumReadyPayloadBytes is -1; it must be between 0 and 536870912.",
                "HybridStoreOptions.FailSafeMaximumDuration is 00:00:00; it must be above 00:00:00 and at most"
                    + " 24.20:31:23.6470000.",
                "HybridStoreOptions.FailSafeThrottleDuration is -00:00:01; it must be above 00:00:00 and at most"
                    + " 24.20:31:23.6470000.",
                "HybridStoreOptions.FactorySoftTimeout is 60.00:00:00; it must be above 00:00:00 and at most"
                    + " 24.20:31:23.6470000.",
                "HybridStoreOptions.FactoryHardTimeout is 30.00:00:00; it must be above 00:00:00 and at most"
                    + " 24.20:31:23.6470000.",
                "HybridStoreOptions.EagerRefreshThreshold is 1; it must be above 0 and below 1.",
                "HybridStoreOptions.FactorySoftTimeout is 60.00:00:00; it must be at most FactoryHardTimeout,"
                    + " 30.00:00:00.",
            ],
            problems);
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        var refused = Assert.Throws<ArgumentException>(() => new StoreHybridCache(store, options));
        Assert.Contains(problems[0], refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void SoftTimeoutWithoutFailSafe_IsNamed()
    {
        var options = new HybridStoreOptions { FactorySoftTimeout = TimeSpan.FromSeconds(1) };
        Assert.Equal(
            "HybridStoreOptions.FactorySoftTimeout is 00:00:01; it needs FailSafeMaximumDuration: without it no stale"
            + " value is kept.",
            Assert.Single(options.FindProblems()));
    }
}
