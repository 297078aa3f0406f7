using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>The first eight bytes of a record.</summary>
/// <remarks>
/// <code>
///  bits  0–15  length of the key        bit  38     large: the value is the address of a block
///  bits 16–19  keyspace                 bit  39     dead: nothing points at the record any more
///  bits 20–35  size in units of 8       bits 40–43  codec of the value; 0: none
///  bit  36     expiring: a deadline     bits 44–63  length of the value's bytes in the record
///  bit  37     sliding: and an interval
/// </code>
/// </remarks>
internal readonly record struct RecordHeader(ulong Word)
{
    public const int Size = 8;

    /// <summary>The longest key: its length has 16 bits.</summary>
    public const int KeyLengthMax = ushort.MaxValue;

    /// <summary>The largest record: its size has 16 bits.</summary>
    public const int RecordSizeMax = ushort.MaxValue * 8;

    private const int KeyspaceShift = 16;
    private const int SizeShift = 20;
    private const int ValueLengthShift = 44;
    private const int ValueLengthEnd = 1 << 20;
    private const ulong ExpiringBit = 1UL << 36;
    private const ulong SlidingBit = 1UL << 37;
    private const ulong LargeBit = 1UL << 38;
    private const ulong DeadBit = 1UL << 39;
    private const ulong KeyMask = (1UL << SizeShift) - 1;

    public int KeyLength => (ushort)Word;

    public int Keyspace => (int)(Word >> KeyspaceShift) & 0xF;

    /// <summary>The bytes that the record takes in its segment.</summary>
    public int RecordSize => (ushort)(Word >> SizeShift) * 8;

    public int ValueLength => (int)(Word >> ValueLengthShift);

    public bool IsExpiring => (Word & ExpiringBit) != 0;

    public bool IsSliding => (Word & SlidingBit) != 0;

    public bool IsLarge => (Word & LargeBit) != 0;

    public bool IsDead => (Word & DeadBit) != 0;

    /// <summary>
    /// Whether a read of such a key needs no more than the bytes in the record: the hot path leaves all else to the
    /// slow one.
    /// </summary>
    public bool IsPlain(ulong keyPattern) =>
        ((Word ^ keyPattern) & (KeyMask | SlidingBit | LargeBit | DeadBit)) == 0;

    /// <summary>The bytes at the record's end that hold its expiry.</summary>
    public int TrailerLength => TrailerLengthOf(IsExpiring, IsSliding);

    public static RecordHeader Create(
        int keyLength, int keyspace, int recordSize, int valueLength, in RecordExpiry expiry, bool large)
    {
        Debug.Assert(keyLength is >= 0 and <= KeyLengthMax);
        Debug.Assert(keyspace is >= 0 and < 16);
        Debug.Assert(recordSize % 8 == 0);
        Debug.Assert(recordSize <= RecordSizeMax);
        Debug.Assert(valueLength is >= 0 and < ValueLengthEnd);
        return new RecordHeader(
            (uint)keyLength | ((ulong)keyspace << KeyspaceShift) | ((ulong)(recordSize / 8) << SizeShift)
            | (expiry.IsExpiring ? ExpiringBit : 0) | (expiry.IsSliding ? SlidingBit : 0) | (large ? LargeBit : 0)
            | ((ulong)valueLength << ValueLengthShift));
    }

    public static int TrailerLengthOf(bool expiring, bool sliding) => (expiring ? 8 : 0) + (sliding ? 16 : 0);

    /// <summary>What a record of a key has in its lowest bits.</summary>
    public static ulong KeyPatternOf(int keyLength, int keyspace) =>
        (uint)keyLength | ((ulong)keyspace << KeyspaceShift);

    public bool HasKeyPattern(ulong pattern) => (Word & KeyMask) == pattern;

    public RecordHeader AsDead()
    {
        Debug.Assert(!IsDead);
        return new(Word | DeadBit);
    }

    /// <summary>The header of the same record with a value of another length.</summary>
    public RecordHeader WithValueLength(int valueLength)
    {
        Debug.Assert(valueLength is >= 0 and < ValueLengthEnd);
        return new((Word & ((1UL << ValueLengthShift) - 1)) | ((ulong)valueLength << ValueLengthShift));
    }

    public RecordHeader With(in RecordExpiry expiry, int valueLength, bool large) =>
        Create(KeyLength, Keyspace, RecordSize, valueLength, expiry, large);
}
