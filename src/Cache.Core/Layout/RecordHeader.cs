using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>The first eight bytes of a record.</summary>
/// <remarks>
/// <code>
///  bits  0–15  length of the key        bit  38     large: the value is a block's address, or a stub
///  bits 16–19  keyspace                 bit  39     dead: nothing points at the record any more
///  bits 20–35  size in units of 8       bit  40     compressed: the value's bytes are packed
///  bit  36     expiring: a deadline     bits 41–43  type of the value; 0: a string
///  bit  37     sliding: and an interval bits 44–63  length of the value's bytes in the record
/// </code>
/// Bits 40 to 43 together are the kind of the value. Where they are 0 its bytes are those that were written.
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
    private const int ExpiringShift = 36;
    private const ulong ExpiringBit = 1UL << ExpiringShift;
    private const ulong SlidingBit = 1UL << 37;
    private const ulong LargeBit = 1UL << 38;
    private const ulong DeadBit = 1UL << 39;
    private const ulong CompressedBit = 1UL << 40;
    private const int TypeShift = 41;
    private const ulong TypeMask = 0x7UL << TypeShift;
    private const ulong KindMask = TypeMask | CompressedBit;
    private const ulong KeyMask = (1UL << SizeShift) - 1;
    private const ulong SizeMask = (1UL << ExpiringShift) - (1UL << SizeShift);

    public int KeyLength => (ushort)Word;

    public int Keyspace => (int)(Word >> KeyspaceShift) & 0xF;

    /// <summary>The bytes that the record takes in its segment.</summary>
    public int RecordSize => (ushort)(Word >> SizeShift) * 8;

    public int ValueLength => (int)(Word >> ValueLengthShift);

    public bool IsExpiring => (Word & ExpiringBit) != 0;

    /// <summary>Whether it expires at a moment, whether it is used or not.</summary>
    public bool IsTimed => (Word & (ExpiringBit | SlidingBit)) == ExpiringBit;

    public bool IsSliding => (Word & SlidingBit) != 0;

    /// <summary>Whether the value is a string that lies in a block.</summary>
    public bool IsLarge => (Word & (LargeBit | TypeMask)) == LargeBit;

    /// <summary>Whether the value is a large collection: the record has its object's stub.</summary>
    public bool IsPaged => (Word & LargeBit) != 0 && (Word & TypeMask) != 0;

    public bool IsDead => (Word & DeadBit) != 0;

    /// <summary>
    /// Whether a read of such a key needs no more than the bytes in the record, with its expiry if it has one: the hot
    /// path leaves all else to the slow one.
    /// </summary>
    public bool IsPlain(ulong keyPattern) => ((Word ^ keyPattern) & (KeyMask | LargeBit | DeadBit | KindMask)) == 0;

    /// <summary>Whether the value is a string, its bytes as they were written.</summary>
    public bool IsRaw => (Word & KindMask) == 0;

    /// <summary>Whether the value is a string, compressed or not.</summary>
    public bool IsString => (Word & TypeMask) == 0;

    /// <summary>Whether the value's bytes are those of a packed one: it must be decoded.</summary>
    public bool IsCompressed => (Word & CompressedBit) != 0;

    /// <summary>What the value is, compressed or not.</summary>
    public EntryKind Kind => EntryKind.String + (int)((Word & KindMask) >> TypeShift);

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

    /// <summary>The header of a record with the same value, compressed or not.</summary>
    public RecordHeader WithStringBytes(int valueLength, bool isCompressed)
    {
        Debug.Assert(IsString && !IsLarge);
        return new((WithValueLength(valueLength).Word & ~CompressedBit) | (isCompressed ? CompressedBit : 0));
    }

    /// <summary>The header of a record of another size.</summary>
    public RecordHeader WithRecordSize(int recordSize)
    {
        Debug.Assert(recordSize % 8 == 0);
        Debug.Assert(recordSize is >= 0 and <= RecordSizeMax);
        return new((Word & ~SizeMask) | ((ulong)(recordSize / 8) << SizeShift));
    }

    /// <summary>The header of another key's record with the same value.</summary>
    public RecordHeader WithKey(int keyLength, int keyspace)
    {
        Debug.Assert(keyLength is >= 0 and <= KeyLengthMax);
        Debug.Assert(keyspace is >= 0 and < 16);
        return new((Word & ~KeyMask) | KeyPatternOf(keyLength, keyspace));
    }

    /// <summary>The header of the same record with another expiry, or none.</summary>
    public RecordHeader WithExpiry(in RecordExpiry expiry) => new(
        (Word & ~(ExpiringBit | SlidingBit))
        | (expiry.IsExpiring ? ExpiringBit : 0) | (expiry.IsSliding ? SlidingBit : 0));

    /// <summary>The header of the same record with a value of another kind, not compressed.</summary>
    public RecordHeader WithKind(EntryKind kind)
    {
        Debug.Assert(kind is >= EntryKind.String and <= EntryKind.Stream);
        return new((Word & ~KindMask) | ((ulong)(kind - EntryKind.String) << TypeShift));
    }
}
