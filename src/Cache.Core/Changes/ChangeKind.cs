namespace Cache.Core.Changes;

/// <summary>What a write did to a key.</summary>
public enum ChangeKind
{
    /// <summary>Nothing that is told.</summary>
    None = 0,

    /// <summary>It has a value and an expiry, or none, whatever it was before.</summary>
    Set = 1,

    /// <summary>It is gone, or was not there when it was removed.</summary>
    Remove = 2,

    /// <summary>Its value stays, and it has another expiry, or none.</summary>
    Expire = 3,

    /// <summary>All keys of a keyspace are gone.</summary>
    Clear = 4,

    /// <summary>
    /// A part of its value has other bytes; the value grows with zeros as far as the part begins behind its end.
    /// </summary>
    Patch = 5,
}
