namespace Cache.Core.Changes;

/// <summary>Why a key changed.</summary>
public enum ChangeCause
{
    /// <summary>A value or an expiry was written.</summary>
    Written,

    /// <summary>It was removed, or given an expiry that has passed.</summary>
    Deleted,

    /// <summary>It was renamed, moved or copied, or another key's value replaced it.</summary>
    Moved,

    /// <summary>Its expiry has passed.</summary>
    Expired,

    /// <summary>It was evicted to make room.</summary>
    Evicted,

    /// <summary>Its keyspace was cleared.</summary>
    Cleared,
}
