namespace Cache.Core.Hybrid;

/// <summary>The counters of <see cref="HybridCounters"/>; each is a field of <see cref="HybridStatistics"/>.</summary>
internal enum HybridCounter
{
    ReadyHit,
    StoreHit,
    Miss,
    StaleHit,
    Join,
    FactoryCall,
    FactoryFailure,
    FactoryTimeout,
    EagerRefresh,
    SecondLevelHit,
    SecondLevelMiss,
    SecondLevelFailure,
    RejectedKey,
    RejectedPayload,
    UnusableValue,
    Invalidation,
}
