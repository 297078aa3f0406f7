namespace Cache.Near;

/// <summary>What keeps a hybrid cache true to its second level. Thread-safe.</summary>
public interface IHybridCoherence
{
    /// <summary>The figures now.</summary>
    HybridCoherenceStatus Status { get; }
}
