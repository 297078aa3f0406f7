using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.Intrinsics;

namespace Cache.Core.Collections.Packed;

/// <summary>A small collection in the value of one record: how it is read.</summary>
/// <remarks>
/// <code>
///  0         2           2 + n          2 + 2n          2 + 3n
///  │ count 2 │ print × n │ length × n │ value length × n │ name value name value …
///              not of a    of the name  of hashes and
///              list                     sorted sets
/// </code>
/// Bits 12 to 15 of the count are flags (<see cref="ConvertedFlag"/>). A length of 255 says that the bytes begin with
/// the real length, 2 bytes; if its highest bit is set, the moment at which the field expires follows, 8 bytes. The
/// columns come first, so that a name is found by a vector compare of the prints, and
/// its place by a sum of the lengths before it.
/// <para>
/// The bytes may be torn: a reader without a lock looks at them before it knows that they belong together. So nothing
/// here trusts them: each place is checked against the end, each loop ends by its position, and what does not fit is
/// reported as absent.
/// </para>
/// </remarks>
internal readonly ref struct PackedTable
{
    public const int HeaderSize = sizeof(ushort);

    /// <summary>The longest packed collection: a write moves so much at most, under the lock of its bucket.</summary>
    public const int LengthMax = 4096;

    /// <summary>The most entries; only lists of the shortest elements would have more in that length.</summary>
    public const int CountMax = 1024;

    /// <summary>In a column: the real length is at the beginning of the bytes.</summary>
    public const int LongMark = byte.MaxValue;

    public const int LongLengthSize = sizeof(ushort);

    /// <summary>The flag of a collection that Redis would have converted to its other encoding, once.</summary>
    public const int ConvertedFlag = 0x8000;

    /// <summary>The flag of a hash of which a field had an expiry once.</summary>
    public const int TimedFlag = 0x4000;

    /// <summary>In the real length of a value: a moment follows.</summary>
    public const int MomentMark = 0x8000;

    public const int MomentSize = sizeof(long);

    private const int CountMask = 0x0FFF;

    private readonly ReadOnlySpan<byte> _prints;
    private readonly ReadOnlySpan<byte> _lengths;
    private readonly ReadOnlySpan<byte> _valueLengths;
    private readonly ReadOnlySpan<byte> _entries;

    /// <summary>A table whose columns lie apart, all of the same length; those that it lacks are empty.</summary>
    public PackedTable(
        ReadOnlySpan<byte> prints, ReadOnlySpan<byte> lengths, ReadOnlySpan<byte> valueLengths,
        ReadOnlySpan<byte> entries)
    {
        Debug.Assert(prints.IsEmpty || prints.Length == lengths.Length);
        Debug.Assert(valueLengths.IsEmpty || valueLengths.Length == lengths.Length);
        _prints = prints;
        _lengths = lengths;
        _valueLengths = valueLengths;
        _entries = entries;
    }

    public int Count => _lengths.Length;

    public ReadOnlySpan<byte> Prints => _prints;

    public ReadOnlySpan<byte> Lengths => _lengths;

    public ReadOnlySpan<byte> ValueLengths => _valueLengths;

    public ReadOnlySpan<byte> Entries => _entries;

    /// <returns>False if the bytes are no such collection: they are torn, or damaged.</returns>
    public static bool TryOpen(ReadOnlySpan<byte> packed, PackedShape shape, out PackedTable table)
    {
        table = default;
        if (packed.Length < HeaderSize)
            return false;
        int count = BinaryPrimitives.ReadUInt16LittleEndian(packed) & CountMask;
        int end = HeaderSize + count * shape.Columns;
        if (count > CountMax || end > packed.Length)
            return false;
        int start = HeaderSize;
        var prints = shape.HasPrints ? packed.Slice(start, count) : default;
        start += prints.Length;
        var lengths = packed.Slice(start, count);
        var valueLengths = shape.HasValues ? packed.Slice(start + count, count) : default;
        table = new PackedTable(prints, lengths, valueLengths, packed[end..]);
        return true;
    }

    /// <summary>The flags of a packed collection.</summary>
    public static int FlagsOf(ReadOnlySpan<byte> packed) =>
        packed.Length < HeaderSize ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(packed) & ~CountMask;

    public ReadOnlySpan<byte> NameAt(scoped in PackedPlace place) => _entries.Slice(place.NameStart, place.NameLength);

    public ReadOnlySpan<byte> ValueAt(scoped in PackedPlace place) =>
        _entries.Slice(place.ValueStart, place.ValueLength);

    /// <summary>Finds a name by its print.</summary>
    public bool TryFind(ReadOnlySpan<byte> name, byte print, out PackedPlace place)
    {
        Debug.Assert(!_prints.IsEmpty || Count == 0, "A list is not searched by names.");
        int mark = Math.Min(name.Length, LongMark);
        int start = 0;
        int summed = 0;
        for (int i = 0; i < _prints.Length; i++)
        {
            int next = _prints[i..].IndexOf(print);
            if (next < 0)
                break;
            i += next;
            if (_lengths[i] != mark)
                continue;
            start += SizeOf(summed, i, start);
            summed = i;
            if (!TryReadAt(i, start, out place))
                return false;
            if (NameAt(place).SequenceEqual(name))
                return true;
        }

        place = default;
        return false;
    }

    /// <summary>How many fields have a moment that is later than one, and the first of these; 0: none.</summary>
    public int CountTimed(long afterMs, out long firstMs)
    {
        firstMs = 0;
        int count = 0;
        for (var place = BeforeFirst; TryMoveNext(ref place);)
        {
            if (place.Moment <= afterMs || place.Moment == 0)
                continue;
            count++;
            firstMs = firstMs == 0 ? place.Moment : Math.Min(firstMs, place.Moment);
        }

        return count;
    }

    /// <summary>The entry with a number.</summary>
    public bool TryGetAt(int index, out PackedPlace place)
    {
        if ((uint)index < (uint)Count)
            return TryReadAt(index, SizeOf(0, index, 0), out place);
        place = default;
        return false;
    }

    /// <summary>Where the entry with a number begins; behind the last one, where the entries end.</summary>
    public int StartAt(int index) => TryGetAt(index, out var place) ? place.Start : _entries.Length;

    /// <summary>The entry behind another one; of a place with the index −1, the first.</summary>
    public bool TryMoveNext(ref PackedPlace place)
    {
        int index = place.Index + 1;
        return (uint)index < (uint)Count && TryReadAt(index, index == 0 ? 0 : place.End, out place);
    }

    /// <summary>A place before the first entry.</summary>
    public static PackedPlace BeforeFirst => new() { Index = -1 };

    /// <summary>The entry with a number, which begins at a given offset.</summary>
    public bool TryReadAt(int index, int start, out PackedPlace place)
    {
        place = new PackedPlace { Index = index, Start = start };
        if (!TryReadString(_lengths[index], start, out place.NameStart, out place.NameLength))
            return false;
        place.ValueHead = place.ValueStart = place.NameStart + place.NameLength;
        return _valueLengths.IsEmpty
            || TryReadValue(_valueLengths[index], ref place);
    }

    private bool TryReadValue(int mark, scoped ref PackedPlace place)
    {
        if (mark != LongMark)
        {
            place.ValueLength = mark;
            return _entries.Length - place.ValueStart >= mark;
        }

        if (_entries.Length - place.ValueStart < LongLengthSize)
            return false;
        place.ValueLength = BinaryPrimitives.ReadUInt16LittleEndian(_entries[place.ValueStart..]);
        place.ValueStart += LongLengthSize;
        if (place.ValueLength >= MomentMark)
        {
            if (_entries.Length - place.ValueStart < MomentSize)
                return false;
            place.Moment = BinaryPrimitives.ReadInt64LittleEndian(_entries[place.ValueStart..]);
            place.ValueStart += MomentSize;
            place.ValueLength -= MomentMark;
        }

        return _entries.Length - place.ValueStart >= place.ValueLength;
    }

    private bool TryReadString(int mark, int start, out int textStart, out int length)
    {
        textStart = start;
        length = mark;
        if (mark == LongMark)
        {
            if (_entries.Length - start < LongLengthSize)
                return false;
            length = BinaryPrimitives.ReadUInt16LittleEndian(_entries[start..]);
            textStart += LongLengthSize;
        }

        return _entries.Length - textStart >= length;
    }

    /// <summary>The bytes of some entries, the first of which begins at a given offset.</summary>
    /// <remarks>Of torn bytes any number, which need not lie within them.</remarks>
    private int SizeOf(int first, int end, int start)
    {
        var lengths = _lengths[first..end];
        var valueLengths = _valueLengths.IsEmpty ? default : _valueLengths[first..end];
        if (lengths.IndexOf((byte)LongMark) < 0 && valueLengths.IndexOf((byte)LongMark) < 0)
            return SumOf(lengths) + SumOf(valueLengths);
        int position = start;
        for (int i = first; i < end; i++)
        {
            if (!TryReadAt(i, position, out var place))
                return _entries.Length + 1; // Nothing is read there.
            position = place.End;
        }

        return position - start;
    }

    private static int SumOf(ReadOnlySpan<byte> lengths)
    {
        int sum = 0;
        if (Vector128.IsHardwareAccelerated && lengths.Length >= Vector128<byte>.Count)
        {
            var sums = Vector128<ushort>.Zero; // CountMax / 16 × 2 × 255 fits.
            for (; lengths.Length >= Vector128<byte>.Count; lengths = lengths[Vector128<byte>.Count..])
            {
                var (lower, upper) = Vector128.Widen(Vector128.Create(lengths));
                sums += lower + upper;
            }

            var (low, high) = Vector128.Widen(sums);
            sum = (int)Vector128.Sum(low + high);
        }

        foreach (byte length in lengths)
            sum += length;
        return sum;
    }
}
