namespace Cache.Core.Hybrid;

/// <summary>
/// Says whether the values of a hybrid cache in this process are still those of its second level; another package does.
/// </summary>
/// <remarks>
/// Thread-safe. It calls <see cref="StoreHybridCache.Invalidate"/> for each change that it hears of, in their order,
/// and <see cref="StoreHybridCache.InvalidateAll"/> when it may have missed some; both before <see cref="Counts"/>
/// answers yes again.
/// </remarks>
internal abstract class Coherence
{
    /// <summary>The longest life of a value in this process, in milliseconds.</summary>
    public abstract long MaximumAgeMs { get; }

    /// <summary>Tells which cache to keep true; one.</summary>
    public abstract void Attach(StoreHybridCache cache);

    /// <summary>Whether what is read of this key from now on counts; to be asked before the read.</summary>
    public abstract bool Counts(ReadOnlySpan<char> key);

    /// <summary>This process has changed a key of the second level.</summary>
    public abstract void Tell(string key);
}
