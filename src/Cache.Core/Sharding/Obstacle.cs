namespace Cache.Core.Sharding;

/// <summary>What keeps a write from taking place while its bucket is locked; it is overcome without the lock.</summary>
internal enum Obstacle
{
    None,

    /// <summary>Another thread holds a bucket that the entry spilled or would spill to.</summary>
    Contention,

    /// <summary>No bucket that the entry may lie in has an empty slot.</summary>
    NoSlot,

    /// <summary>The active segment is full.</summary>
    NoSegmentRoom,

    /// <summary>The record is longer than a segment.</summary>
    LongRecord,

    /// <summary>A large block does not fit the limit.</summary>
    NoBlockRoom,

    /// <summary>There was room for a large block, and the system had no memory for it.</summary>
    NoMemory,

    /// <summary>The journal has no room for the record of the write.</summary>
    NoJournalRoom,
}
