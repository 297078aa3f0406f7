namespace Cache.Core.Changes;

/// <summary>What a write did to a key.</summary>
public enum ChangeKind
{
    /// <summary>No change that listeners are told of.</summary>
    None = 0,

    /// <summary>It has a value and an expiry, or none, whatever it was before.</summary>
    Set = 1,

    /// <summary>It was removed, or was absent when a removal asked for it.</summary>
    Remove = 2,

    /// <summary>Its value stays, and it has another expiry, or none.</summary>
    Expire = 3,

    /// <summary>All keys of a keyspace are gone.</summary>
    Clear = 4,

    /// <summary>
    /// A part of its value was overwritten; if the part begins behind the value's end, zeros fill the gap.
    /// </summary>
    Patch = 5,

    /// <summary>
    /// Some elements of a large collection were put or dropped, and the others stay; its value says which, as in
    /// the journal's files.
    /// </summary>
    Elements = 8,
}
