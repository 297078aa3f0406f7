namespace Cache.Near;

/// <summary>What keeps local entries true.</summary>
public enum NearCoherence
{
    /// <summary>Client tracking: the server tells of changes. The start fails where it does not.</summary>
    Tracking,

    /// <summary>
    /// Time alone, for servers without client tracking: changes of others are not seen before
    /// <see cref="NearCacheOptions.MaximumAge"/> has passed. <see cref="NearCacheOptions.StalenessBound"/> does not
    /// hold.
    /// </summary>
    TimeOnly,
}
