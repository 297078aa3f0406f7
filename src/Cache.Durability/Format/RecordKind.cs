namespace Cache.Durability.Format;

/// <summary>What a record says. The numbers are those of the files.</summary>
/// <remarks>
/// Records tell results, never commands: INCR is the new value, APPEND a patch, EXPIRE the deadline. So one that is
/// read over a newer value leads to the same in the end.
/// </remarks>
internal enum RecordKind : byte
{
    /// <summary>Nothing: a place that was reserved for a write that failed.</summary>
    Void = 0,

    /// <summary>An entry with its value.</summary>
    Set = 1,

    /// <summary>A key that is not there any more, also if it was not there before: it may be there at replay.</summary>
    Remove = 2,

    /// <summary>A deadline of an entry, or that it has none.</summary>
    Expire = 3,

    /// <summary>A keyspace that is empty now.</summary>
    Clear = 4,

    /// <summary>Bytes at a place of a value.</summary>
    Patch = 5,

    /// <summary>Records that are replayed together or not at all.</summary>
    Group = 6,

    /// <summary>A part of a long value, before the record that it belongs to.</summary>
    Part = 7,

    /// <summary>Reserved: an element of a collection with its value.</summary>
    PutElement = 8,

    /// <summary>Reserved: an element of a collection that is not there any more.</summary>
    DropElement = 9,

    /// <summary>Reserved: a part of a transaction that ends in a later block.</summary>
    TransactionPart = 10,

    /// <summary>Reserved: the end of such a transaction.</summary>
    TransactionEnd = 11,

    /// <summary>Which keyspace each number of a database stands for; the value has a byte for each.</summary>
    Databases = 12,
}
