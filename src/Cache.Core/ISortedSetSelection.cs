namespace Cache.Core;

/// <summary>
/// Chooses members of a sorted set, or makes others of them, for <see cref="CacheStore.StoreSelection"/>.
/// </summary>
/// <remarks>A struct type argument. As a source of scores, it has what the last call of TrySelect chose.</remarks>
public interface ISortedSetSelection : IScoreSource
{
    /// <summary>
    /// Chooses anew; called again if the sorted set was written meanwhile, and then perhaps under locks.
    /// </summary>
    /// <param name="set">The sorted set; one without members if the key is absent.</param>
    /// <returns>False if nothing is to be written.</returns>
    bool TrySelect(scoped in SortedSetSnapshot set);
}
