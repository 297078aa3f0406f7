namespace Cache.Core.Sharding;

/// <summary>Where a thread that looks for room, or holds some that others look for, may be paused by a test.</summary>
internal enum RoomStep
{
    /// <summary>A raised limit holds for writes; segments still have the former size.</summary>
    LimitRaised,

    /// <summary>Segments have the size for the new limit.</summary>
    SegmentsFitted,

    /// <summary>A segment that is too long for a lower limit was found, and is not claimed yet.</summary>
    LongSegmentFound,

    /// <summary>A thread that found no room looks for some, and holds the gate not yet.</summary>
    LooksForRoom,

    /// <summary>Another thread holds the gate.</summary>
    WaitsForGate,

    /// <summary>No other thread can take bytes any more.</summary>
    Claimed,

    /// <summary>Reclaiming works on another batch of records.</summary>
    Reclaims,

    /// <summary>An audit begins.</summary>
    AuditBegins,

    /// <summary>An audit looks at the next segment.</summary>
    AuditNext,

    /// <summary>An audit has seen all segments, and has not compared the sums.</summary>
    AuditWalked,

    /// <summary>An audit saw bytes in transit: the thread lets others continue.</summary>
    GivesWay,

    /// <summary>A block was taken, and is not linked yet.</summary>
    BlockTaken,

    /// <summary>A record was allocated ahead of the lock that it is linked under.</summary>
    RecordTaken,

    /// <summary>A block is no entry's any more, and not freed yet.</summary>
    BlockDropped,

    /// <summary>A block is about to be noted as lent, returned or shared, for which there may be no memory.</summary>
    ShareIsNoted,

    /// <summary>A thread that may hold a gate needs memory; there may be none. It is not paused here.</summary>
    MemoryIsTaken,

    /// <summary>
    /// A thread needs memory to compress or decode a value, or one more thread; there may be none. It is not paused
    /// here.
    /// </summary>
    PackingNeedsMemory,

    /// <summary>A record was allocated under its key's lock, and is not written and linked yet.</summary>
    RecordStaged,

    /// <summary>Another thread holds a bucket, or a writer is in the way of a read.</summary>
    WaitsForBucket,

    /// <summary>Another thread has claimed the key.</summary>
    WaitsForClaim,

    /// <summary>A claim that was waited for is over, and the key is not locked yet.</summary>
    ClaimEnded,

    /// <summary>A write has ended.</summary>
    WriteEnds,

    /// <summary>A writer whose page is full knows what was cleared, and holds nothing yet.</summary>
    ClearedKnown,

    /// <summary>An entry was counted, and its keyspace is not known to be written yet.</summary>
    EntryCounted,

    /// <summary>A writer whose page was full has made a slot, and holds nothing yet.</summary>
    SlotMade,

    /// <summary>A part of a long value was written under a claim, and nothing is linked yet.</summary>
    RangeWritten,

    /// <summary>A long batch has found and reserved what it will change, and others still read there.</summary>
    KeysFound,

    /// <summary>A clear has reserved room in the journal, and the next generation has not begun.</summary>
    ClearReserved,

    /// <summary>A read is about to look for the last time at what proves it.</summary>
    ReadsVerified,

    /// <summary>A value that will be compressed was copied, and its bucket is not locked any more.</summary>
    ValueTaken,

    /// <summary>An entry whose place another wants was chosen, and is not locked yet.</summary>
    VictimFound,
}
