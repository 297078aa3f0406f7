namespace Cache.Durability.Format;

/// <summary>The kind of a record. The numbers are those in the files.</summary>
/// <remarks>
/// Records are results, never commands: INCR is the new value, APPEND a patch, EXPIRE the deadline. So replaying a
/// record over a newer value leads to the same final state.
/// </remarks>
internal enum RecordKind : byte
{
    /// <summary>Nothing: the place of a write that failed.</summary>
    Void = 0,

    /// <summary>An entry with its value.</summary>
    Set = 1,

    /// <summary>A removed key, even if it was absent before: at replay it may exist.</summary>
    Remove = 2,

    /// <summary>The deadline of an entry, or none.</summary>
    Expire = 3,

    /// <summary>A clear of a keyspace.</summary>
    Clear = 4,

    /// <summary>Bytes at an offset of a value.</summary>
    Patch = 5,

    /// <summary>Records that are replayed atomically.</summary>
    Group = 6,

    /// <summary>A part of a long value, before its record.</summary>
    Part = 7,

    /// <summary>What became of some elements of a large collection; the others stay.</summary>
    Elements = 8,

    /// <summary>Reserved: a part of a transaction that ends in a later block.</summary>
    TransactionPart = 10,

    /// <summary>Reserved: the end of such a transaction.</summary>
    TransactionEnd = 11,

    /// <summary>The keyspace of each database number; the value has a byte for each.</summary>
    Databases = 12,
}
