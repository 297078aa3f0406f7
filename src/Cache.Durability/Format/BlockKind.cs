namespace Cache.Durability.Format;

/// <summary>What a block holds.</summary>
internal enum BlockKind : byte
{
    None = 0,

    /// <summary>Changes, in their order.</summary>
    Journal = 1,

    /// <summary>Entries, in no order.</summary>
    Snapshot = 2,

    /// <summary>The last block of a snapshot: there is nothing behind it.</summary>
    End = 3,
}
