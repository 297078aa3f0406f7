using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Cache.Core.Layout;

/// <summary>One entry's bytes in a segment: header, key, value, room, expiry.</summary>
/// <remarks>
/// <code>
///  0        8             8 + key       + value              size − 24  − 16      − 8      size (a multiple of 8)
///  ├────────┼─────────────┼─────────────┼── ··· ─────────────┼─────────┼─────────┼─────────┤
///  │ header │     key     │    value    │   unused           │absolute │ sliding │deadline │
///  └────────┴─────────────┴─────────────┴── ··· ─────────────┴─────────┴─────────┴─────────┘
///                                                             only if sliding     if expiring
/// </code>
/// The expiry is at the end, so that key and value have the same places as in a record without one. A handle: copying
/// it copies the address. Records are written by the thread that holds the key's home bucket; for readers everything is
/// garbage until the bucket's version proves it valid, so lengths are trusted only after that.
/// </remarks>
internal readonly unsafe struct Record
{
    private readonly byte* _start;

    public Record(byte* start)
    {
        AddressCheck.InRange(start, RecordHeader.Size);
        Debug.Assert(((nuint)start & 7) == 0, "Records begin at multiples of 8.");
        _start = start;
    }

    public bool IsNull => _start is null;

    public RecordHeader Header
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
        get => new(*(ulong*)_start);
        set => *(ulong*)_start = value.Word;
    }

    public nuint Address => (nuint)_start;

    public static int SizeOf(int keyLength, int valueLength, in RecordExpiry expiry) =>
        (RecordHeader.Size + keyLength + valueLength
            + RecordHeader.TrailerLengthOf(expiry.IsExpiring, expiry.IsSliding) + 7) & ~7;

    /// <summary>The same of a record with a deadline and no interval.</summary>
    public static int SizeOfTimed(int keyLength, int valueLength) =>
        (RecordHeader.Size + keyLength + valueLength + RecordHeader.TrailerLengthOf(expiring: true, sliding: false) + 7)
        & ~7;

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Short keys are two compares; the long ones are a call.
    public bool KeyEquals(ReadOnlySpan<byte> key)
    {
        byte* stored = _start + RecordHeader.Size;
        AddressCheck.InRange(stored, Math.Min(key.Length, RecordHeader.KeyLengthMax));
        if (key.Length == Vector128<byte>.Count) // The commonest length: one compare without a call.
            return Vector128.Load(stored) == Vector128.LoadUnsafe(ref MemoryMarshal.GetReference(key));
        return OtherKeyEquals(stored, key);
    }

    /// <summary>The key; the header is this record's, and trusted.</summary>
    public ReadOnlySpan<byte> KeyOf(RecordHeader header) => BytesAt(RecordHeader.Size, header.KeyLength);

    /// <summary>The value's bytes in the record; the header is this record's, and trusted.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the span in registers.
    public Span<byte> ValueOf(RecordHeader header) =>
        BytesAt(RecordHeader.Size + header.KeyLength, header.ValueLength);

    /// <summary>The deadline of an expiring record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load.
    public long DeadlineMsOf(RecordHeader header) => TrailerWord(header, 8);

    public RecordExpiry ExpiryOf(RecordHeader header)
    {
        if (!header.IsExpiring)
            return default;
        return header.IsSliding
            ? new RecordExpiry(TrailerWord(header, 8), TrailerWord(header, 24), TrailerWord(header, 16))
            : new RecordExpiry(TrailerWord(header, 8), TrailerWord(header, 8), 0);
    }

    public void WriteKey(ReadOnlySpan<byte> key)
    {
        Debug.Assert(key.Length <= RecordHeader.KeyLengthMax);
        key.CopyTo(BytesAt(RecordHeader.Size, key.Length));
    }

    public void WriteExpiry(RecordHeader header, in RecordExpiry expiry)
    {
        Debug.Assert(header.IsExpiring == expiry.IsExpiring);
        Debug.Assert(header.IsSliding == expiry.IsSliding);
        if (!expiry.IsExpiring)
            return;
        TrailerWord(header, 8) = expiry.DeadlineMs;
        if (!expiry.IsSliding)
            return;
        TrailerWord(header, 16) = expiry.SlidingMs;
        TrailerWord(header, 24) = expiry.AbsoluteMs;
    }

    /// <summary>Gives a record that has a deadline, and no interval, another one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One store.
    public void WriteDeadline(RecordHeader header, long deadline)
    {
        Debug.Assert(header.IsTimed);
        TrailerWord(header, 8) = deadline;
    }

    /// <summary>Copies a whole record, header and all, to another of the same size.</summary>
    public void CopyTo(Record other, int size)
    {
        Debug.Assert(size % 8 == 0);
        Debug.Assert(other.Address + (nuint)size <= Address || Address + (nuint)size <= other.Address);
        BytesAt(0, size).CopyTo(other.BytesAt(0, size));
    }

    public Record Next(int size) => new(_start + size);

    /// <summary>Prefetches the line behind the header's, before the value's length is known.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One instruction.
    public void PrefetchNextLine()
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(_start + Bucket.Size);
    }

    /// <summary>Prefetches the record's first two lines: header, key and the beginning of the value.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Two instructions.
    public void Prefetch()
    {
        if (!Sse.IsSupported)
            return;
        Sse.Prefetch0(_start);
        Sse.Prefetch0(_start + Bucket.Size);
    }

    // Not inlined: around its calls, the hot path would keep all its locals on the stack.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool OtherKeyEquals(byte* stored, ReadOnlySpan<byte> key) =>
        key.Length <= RecordHeader.KeyLengthMax && new ReadOnlySpan<byte>(stored, key.Length).SequenceEqual(key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the span in registers.
    private Span<byte> BytesAt(int offset, int length)
    {
        AddressCheck.InRange(_start + offset, length);
        return new Span<byte>(_start + offset, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is two additions.
    private ref long TrailerWord(RecordHeader header, int fromEnd)
    {
        Debug.Assert(fromEnd is 8 or 16 or 24);
        AddressCheck.InRange(_start + header.RecordSize - fromEnd, sizeof(long));
        return ref *(long*)(_start + header.RecordSize - fromEnd);
    }
}
