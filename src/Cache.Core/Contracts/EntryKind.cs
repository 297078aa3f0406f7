namespace Cache.Core;

/// <summary>What the value of an entry is.</summary>
/// <remarks>
/// Every write of a value makes it a <see cref="String"/>, whatever it was before. Reads and changes of a value know
/// strings only; of another kind they report <see cref="ReadStatus.WrongType"/> or
/// <see cref="WriteStatus.WrongType"/>. What concerns keys (expiry, removal, renaming, copies, scans) takes any kind.
/// No member makes another kind yet.
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

    /// <summary>Elements in an order, added and taken at both ends.</summary>
    List = 3,

    /// <summary>Members without an order.</summary>
    Set = 4,

    /// <summary>Members in the order of their scores.</summary>
    SortedSet = 5,

    /// <summary>Messages in the order in which they came.</summary>
    Stream = 6,
}
