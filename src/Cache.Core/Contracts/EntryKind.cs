namespace Cache.Core;

/// <summary>The kind of an entry's value.</summary>
/// <remarks>
/// Every write of a value makes it a <see cref="String"/>, whatever it was before. Reads and changes of a value work
/// only with strings; for another kind they return <see cref="ReadStatus.WrongType"/> or
/// <see cref="WriteStatus.WrongType"/>. Operations on keys (expiry, removal, renaming, copies, scans) work with any
/// kind. <see cref="CacheStore.Hash"/> and its like make the others.
/// </remarks>
public enum EntryKind
{
    /// <summary>There is no entry.</summary>
    None = 0,

    /// <summary>Bytes.</summary>
#pragma warning disable CA1720 // Redis's word for it, as those of the others.
    String = 1,
#pragma warning restore CA1720

    /// <summary>Fields, each with a value.</summary>
    Hash = 2,

    /// <summary>Ordered elements, added and removed at both ends.</summary>
    List = 3,

    /// <summary>Members without an order.</summary>
    Set = 4,

    /// <summary>Members ordered by score.</summary>
    SortedSet = 5,

    /// <summary>Messages in the order of their arrival.</summary>
    Stream = 6,
}
