namespace Cache.Durability.Format;

/// <summary>The content of a block.</summary>
internal enum BlockKind : byte
{
    None = 0,

    /// <summary>Changes, in order.</summary>
    Journal = 1,

    /// <summary>Entries, in any order.</summary>
    Snapshot = 2,

    /// <summary>The last block of a snapshot.</summary>
    End = 3,
}
