namespace Cache.Near;

/// <summary>What keeps local entries true.</summary>
public enum NearCoherence
{
    /// <summary>Client tracking: the server tells of changes. The start fails where it does not.</summary>
    Tracking,

    /// <summary>
    /// Time alone, for servers without client tracking: changes of others may not be seen before
    /// <see cref="NearCacheOptions.MaximumAge"/> has passed. <see cref="NearCacheOptions.StalenessBound"/> does not
    /// hold. Processes that chose it tell one another of their own writes on the channel "__cache:writes", where the
    /// servers allow that; no message is promised to arrive.
    /// </summary>
    TimeOnly,
}
