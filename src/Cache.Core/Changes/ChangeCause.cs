namespace Cache.Core.Changes;

/// <summary>Why a key changed.</summary>
public enum ChangeCause
{
    /// <summary>A value or an expiry was written.</summary>
    Written,

    /// <summary>It was removed, or given an expiry that has passed.</summary>
    Deleted,

    /// <summary>It was given another key or keyspace, or got the value of another.</summary>
    Moved,

    /// <summary>Its expiry has passed.</summary>
    Expired,

    /// <summary>Others needed its room.</summary>
    Evicted,

    /// <summary>Its keyspace was cleared.</summary>
    Cleared,
}
