using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Core.Collections.Packed;

/// <summary>A packed collection whose parts lie apart, so that entries are added and removed in short moves.</summary>
/// <remarks>
/// Read from the record, changed, and written back at once. It never holds more than
/// <see cref="PackedTable.LengthMax"/> bytes: a change that would is refused, and nothing is changed. Until the first
/// change it is the record itself: what only looks copies nothing.
/// </remarks>
internal ref struct PackedEditor
{
    /// <summary>The bytes of memory that it works in.</summary>
    public const int MemorySize = 3 * PackedTable.CountMax + PackedTable.LengthMax;

    private readonly PackedShape _shape;
    private readonly Span<byte> _prints;
    private readonly Span<byte> _lengths;
    private readonly Span<byte> _valueLengths;
    private readonly Span<byte> _entries;

    // What was read, as long as it is not taken apart.
    private PackedTable _whole;
    private bool _isApart = true;
    private int _entriesLength;

    public PackedEditor(PackedShape shape, Span<byte> memory)
    {
        Debug.Assert(memory.Length >= MemorySize);
        const int Column = PackedTable.CountMax;
        _shape = shape;
        _prints = memory[..Column];
        _lengths = memory.Slice(Column, Column);
        _valueLengths = memory.Slice(2 * Column, Column);
        _entries = memory.Slice(3 * Column, PackedTable.LengthMax);
    }

    public int Count { get; private set; }

    /// <summary>Whether anything is different from what was read.</summary>
    public bool IsChanged { get; private set; }

    /// <summary>See <see cref="PackedTable.FlagsOf"/>.</summary>
    public int Flags { get; set; }

    /// <summary>The bytes of the packed collection.</summary>
    public readonly int Length => LengthOf(Count, _entriesLength);

    /// <summary>The collection as it is, until the next change.</summary>
    public readonly PackedTable Table => !_isApart ? _whole : new(
        _shape.HasPrints ? _prints[..Count] : default, _lengths[..Count],
        _shape.HasValues ? _valueLengths[..Count] : default, _entries[.._entriesLength]);

    /// <summary>Reads a packed collection; an absent one is empty.</summary>
    /// <remarks>packed: It stays as it is until the first change.</remarks>
    /// <returns>False if the bytes are none.</returns>
    public bool TryRead(ReadOnlySpan<byte> packed)
    {
        (Count, _entriesLength, Flags, IsChanged, _isApart) = (0, 0, 0, false, true);
        if (packed.IsEmpty)
            return true;
        if (packed.Length > PackedTable.LengthMax || !PackedTable.TryOpen(packed, _shape, out var table))
            return false;
        _whole = table;
        _isApart = false;
        (Count, _entriesLength, Flags) = (table.Count, table.Entries.Length, PackedTable.FlagsOf(packed));
        return true;
    }

    /// <summary>Writes the collection into exactly its bytes.</summary>
    public readonly void WriteTo(Span<byte> packed)
    {
        Debug.Assert(packed.Length == Length);
        BinaryPrimitives.WriteUInt16LittleEndian(packed, (ushort)(Count | Flags));
        var table = Table;
        var rest = Append(table.Prints, packed[PackedTable.HeaderSize..]);
        rest = Append(table.Lengths, rest);
        rest = Append(table.ValueLengths, rest);
        table.Entries.CopyTo(rest);
    }

    /// <summary>Adds an entry behind all others.</summary>
    public bool TryAdd(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value) =>
        TryInsert(Count, _entriesLength, name, value);

    /// <summary>Adds an entry at the place of another one, which follows it then.</summary>
    /// <param name="index">The number that it gets.</param>
    /// <param name="start">Where the entry with that number begins, or the entries end.</param>
    /// <param name="name">Its name.</param>
    /// <param name="value">Its value; empty if entries have none.</param>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public bool TryInsert(int index, int start, scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        Debug.Assert((uint)index <= (uint)Count);
        long size = SizeOf(name.Length) + (_shape.HasValues ? SizeOf(value.Length) : 0);
        if (Count == PackedTable.CountMax || LengthOf(Count + 1, _entriesLength + size) > PackedTable.LengthMax)
            return false;
        TakeApart();
        if (_shape.HasPrints)
            InsertByte(_prints, index, PackedPrint.Of(name));
        InsertByte(_lengths, index, MarkOf(name.Length));
        if (_shape.HasValues)
            InsertByte(_valueLengths, index, MarkOf(value.Length));
        Count++;
        Resize(start, 0, (int)size);
        int valueStart = start + WriteString(start, name);
        if (_shape.HasValues)
            WriteString(valueStart, value);
        return true;
    }

    /// <summary>Gives an entry another value.</summary>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public bool TrySetValue(scoped in PackedPlace place, scoped ReadOnlySpan<byte> value)
    {
        Debug.Assert(_shape.HasValues);
        int before = place.End - place.ValueHead;
        long size = SizeOf(value.Length);
        if (LengthOf(Count, _entriesLength + size - before) > PackedTable.LengthMax)
            return false;
        TakeApart();
        Resize(place.ValueHead, before, (int)size);
        _valueLengths[place.Index] = MarkOf(value.Length);
        WriteString(place.ValueHead, value);
        return true;
    }

    /// <summary>Lets a field expire at a moment, or at 0 never, and keeps its value.</summary>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public bool TrySetMoment(scoped in PackedPlace place, long moment)
    {
        Debug.Assert(_shape == PackedShape.Hash);
        int before = place.ValueStart - place.ValueHead;
        int size = moment != 0
            ? PackedTable.LongLengthSize + PackedTable.MomentSize
            : place.ValueLength < PackedTable.LongMark ? 0 : PackedTable.LongLengthSize;
        if (LengthOf(Count, _entriesLength + size - before) > PackedTable.LengthMax)
            return false;
        TakeApart();
        Resize(place.ValueHead, before, size);
        if (size == 0)
        {
            _valueLengths[place.Index] = (byte)place.ValueLength;
            return true;
        }

        _valueLengths[place.Index] = PackedTable.LongMark;
        int mark = place.ValueLength | (moment != 0 ? PackedTable.MomentMark : 0);
        BinaryPrimitives.WriteUInt16LittleEndian(_entries[place.ValueHead..], (ushort)mark);
        if (moment == 0)
            return true;
        BinaryPrimitives.WriteInt64LittleEndian(_entries[(place.ValueHead + PackedTable.LongLengthSize)..], moment);
        Flags |= PackedTable.TimedFlag;
        return true;
    }

    /// <summary>Gives an entry of a list another name.</summary>
    /// <returns>False if there is no room: nothing is changed.</returns>
    public bool TrySetName(scoped in PackedPlace place, scoped ReadOnlySpan<byte> name)
    {
        Debug.Assert(!_shape.HasPrints && !_shape.HasValues);
        int before = place.End - place.Start;
        long size = SizeOf(name.Length);
        if (LengthOf(Count, _entriesLength + size - before) > PackedTable.LengthMax)
            return false;
        TakeApart();
        Resize(place.Start, before, (int)size);
        _lengths[place.Index] = MarkOf(name.Length);
        WriteString(place.Start, name);
        return true;
    }

    /// <summary>Removes the fields whose moment is no later than one; 0: none.</summary>
    public void RemoveExpired(long nowMs)
    {
        for (int index = 0, start = 0; index < Count;)
        {
            if (!Table.TryReadAt(index, start, out var place))
                PackedCheck.ThrowDamaged();
            if (place.Moment != 0 && place.Moment <= nowMs)
            {
                Remove(place);
                continue;
            }

            index++;
            start = place.End;
        }
    }

    public void Remove(in PackedPlace place) => RemoveRange(place.Index, 1, place.Start, place.End);

    /// <summary>Removes entries that follow each other.</summary>
    /// <param name="index">The first one's number.</param>
    /// <param name="count">Their number.</param>
    /// <param name="start">Where they begin.</param>
    /// <param name="end">Where they end.</param>
    public void RemoveRange(int index, int count, int start, int end)
    {
        Debug.Assert(index >= 0 && count >= 0 && index + count <= Count);
        TakeApart();
        RemoveBytes(_prints, index, count);
        RemoveBytes(_lengths, index, count);
        RemoveBytes(_valueLengths, index, count);
        Count -= count;
        Resize(start, end - start, 0);
    }

    private void TakeApart()
    {
        if (_isApart)
            return;
        _whole.Prints.CopyTo(_prints);
        _whole.Lengths.CopyTo(_lengths);
        _whole.ValueLengths.CopyTo(_valueLengths);
        _whole.Entries.CopyTo(_entries);
        _isApart = true;
    }

    private readonly long LengthOf(int count, long entriesLength) =>
        PackedTable.HeaderSize + (long)count * _shape.Columns + entriesLength;

    private readonly int LengthOf(int count, int entriesLength) => (int)LengthOf(count, (long)entriesLength);

    private static long SizeOf(int length) =>
        length < PackedTable.LongMark ? length : (long)length + PackedTable.LongLengthSize;

    private static byte MarkOf(int length) => (byte)Math.Min(length, PackedTable.LongMark);

    private static Span<byte> Append(ReadOnlySpan<byte> column, Span<byte> rest)
    {
        column.CopyTo(rest);
        return rest[column.Length..];
    }

    private readonly void InsertByte(Span<byte> column, int index, byte value)
    {
        column[index..Count].CopyTo(column[(index + 1)..]);
        column[index] = value;
    }

    private readonly void RemoveBytes(Span<byte> column, int index, int count) =>
        column[(index + count)..Count].CopyTo(column[index..]);

    private void Resize(int start, int before, int after)
    {
        Debug.Assert(_isApart, "What was read stays as it is.");
        _entries[(start + before).._entriesLength].CopyTo(_entries[(start + after)..]);
        _entriesLength += after - before;
        IsChanged = true;
    }

    private readonly int WriteString(int start, scoped ReadOnlySpan<byte> text)
    {
        int head = 0;
        if (text.Length >= PackedTable.LongMark)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(_entries[start..], (ushort)text.Length);
            head = PackedTable.LongLengthSize;
        }

        text.CopyTo(_entries[(start + head)..]);
        return head + text.Length;
    }
}
