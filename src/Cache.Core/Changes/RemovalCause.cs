namespace Cache.Core.Changes;

/// <summary>Why a value is gone.</summary>
public enum RemovalCause
{
    /// <summary>The key was removed, or renamed.</summary>
    Deleted,

    /// <summary>Its expiry has passed; told when the store meets the entry, which may be later.</summary>
    Expired,

    /// <summary>It was evicted to make room.</summary>
    Evicted,

    /// <summary>A string was written in its place, be it by an increment.</summary>
    Replaced,

    /// <summary>All keys of the keyspace are gone: told once, with an empty key.</summary>
    Cleared,
}
