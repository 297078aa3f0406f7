using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>
/// What is known of one segment, in a cache line of its own so that writers of two segments never meet.
/// </summary>
/// <remarks>
/// <code>
///  0       8     12        16     20        24           32       40          48     50        52    56         64
///  | state | end |committed| dead |expiring |min deadline|sequence|large bytes|stream|two bytes|start|min moment|
/// </code>
/// The two bytes: whether it may have memory, and when it was looked through. A segment is whole, and may be read
/// record by record, when it is sealed and as many bytes are committed as were handed out. It is empty when all of
/// these are dead. A segment that is shorter than its place, because the limit was lowered, begins later in it; the
/// bytes before count as committed and dead.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = Size)]
internal struct SegmentInfo
{
    public const int Size = 64;

    /// <summary>A <see cref="SegmentState"/> in the low bits, a generation that grows with each change above.</summary>
    [FieldOffset(0)]
    public long StateWord;

    /// <summary>The bytes handed out when it was sealed.</summary>
    [FieldOffset(8)]
    public int End;

    /// <summary>The bytes of records that are complete and were pointed at.</summary>
    [FieldOffset(12)]
    public int Committed;

    /// <summary>The bytes of records that nothing points at any more.</summary>
    [FieldOffset(16)]
    public int Dead;

    /// <summary>Live records with a deadline.</summary>
    [FieldOffset(20)]
    public int ExpiringCount;

    /// <summary>No record's deadline in the store's time is before.</summary>
    [FieldOffset(24)]
    public long MinDeadlineMs;

    /// <summary>The order of age among sealed segments.</summary>
    [FieldOffset(32)]
    public long Sequence;

    /// <summary>Bytes in blocks that live records point at.</summary>
    [FieldOffset(40)]
    public long LargeBytes;

    /// <summary>The stream that filled it.</summary>
    [FieldOffset(48)]
    public short Stream;

    /// <summary>1 if it may have memory: it is in use, or was and its memory was not given back.</summary>
    [FieldOffset(50)]
    public byte Resident;

    /// <summary>Between which two sweeps a writer looked through it for what has expired; 0: never.</summary>
    [FieldOffset(51)]
    public byte LookRound;

    /// <summary>Where its first record is, or would be; the bytes before hold no memory.</summary>
    [FieldOffset(52)]
    public int Start;

    /// <summary>No record's moment of the wall clock is before.</summary>
    [FieldOffset(56)]
    public long MinMomentMs;
}
