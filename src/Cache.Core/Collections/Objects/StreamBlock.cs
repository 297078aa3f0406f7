using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Entries of a stream that follow each other, as one element of its tree.</summary>
/// <remarks>
/// <code>
///  count 1 │ last shape's place 2 │ last entry's place 2 │ entry │ entry …
///
///  entry   2 · length of the rest + has a shape │ milliseconds │ sequence │ [ shape's length │ shape ] │ values
/// </code>
/// Numbers are <see cref="Varint"/>s. Milliseconds are those after the block's first id, which is its place in the tree
/// and stays when that entry goes; the sequence number counts from that id's too within its millisecond. An entry
/// without a shape has the fields of the one before.
/// </remarks>
internal static class StreamBlock
{
    public const int HeaderSize = 1 + 2 * sizeof(ushort);

    /// <summary>Four blocks of so many bytes, with their slots, names and lengths, fill a page.</summary>
    public const int LengthMax = (TreePage.SizeMax - TreePage.HeaderSize) / 4 - ElementOverhead;

    /// <summary>What the longest of these takes in a page.</summary>
    public const int SizeMax = LengthMax + ElementOverhead;

    /// <summary>The longest block of one entry.</summary>
    public const int SingleLengthMax = TreeEntry.LengthMax - sizeof(ulong);

    private const int ElementOverhead = sizeof(ulong) + sizeof(ushort) + 1 + sizeof(ulong) + 2;

    public static int CountOf(ReadOnlySpan<byte> block) =>
        block.Length < HeaderSize ? 0 : block[0];

    /// <summary>Begins a block without entries.</summary>
    /// <returns>Its length.</returns>
    public static int Begin(Span<byte> block)
    {
        block[..HeaderSize].Clear();
        return HeaderSize;
    }

    /// <summary>The id of the last entry; 0-0 without one.</summary>
    public static StreamId LastIdOf(StreamId first, ReadOnlySpan<byte> block)
    {
        if (CountOf(block) == 0)
            return default;
        var reader = new StreamBlockReader(first, block, LastEntryOf(block));
        return reader.TryRead() ? reader.Id : default;
    }

    /// <summary>Adds an entry at the end, which is greater than all.</summary>
    /// <returns>False if the block would be longer than allowed.</returns>
    public static bool TryAppend(
        Span<byte> block, ref int length, int lengthMax, StreamId first, StreamId id,
        scoped ReadOnlySpan<byte> shape, scoped ReadOnlySpan<byte> values)
    {
        Debug.Assert(lengthMax <= block.Length);
        if (!TryMeasure(block[..length], lengthMax, first, id, shape, values.Length, out var added))
            return false;
        Append(block[..(length + added.Size)], added, first, id, shape, values);
        length += added.Size;
        return true;
    }

    /// <summary>Measures an entry that is to be added at the end, which is greater than all.</summary>
    /// <returns>False if the block would be longer than allowed.</returns>
    public static bool TryMeasure(
        ReadOnlySpan<byte> block, int lengthMax, StreamId first, StreamId id,
        scoped ReadOnlySpan<byte> shape, int valuesLength, out AddedEntry added)
    {
        int count = CountOf(block);
        bool hasShape = count == 0 || !ShapeAt(block, LastShapeOf(block)).SequenceEqual(shape);
        long size = SizeOf(first, id, hasShape, shape.Length, valuesLength, out int rest);
        bool fits = block.Length + size <= lengthMax && count != byte.MaxValue;
        added = fits ? new AddedEntry((int)size, rest, hasShape) : default;
        return fits;
    }

    /// <summary>Writes an entry that was measured as the last bytes of a block.</summary>
    public static void Append(
        Span<byte> block, in AddedEntry added, StreamId first, StreamId id,
        scoped ReadOnlySpan<byte> shape, scoped ReadOnlySpan<byte> values)
    {
        int start = block.Length - added.Size;
        int at = start;
        at += Varint.Write(block[at..], ((ulong)added.Rest << 1) | (added.HasShape ? 1U : 0));
        at += Varint.Write(block[at..], id.Milliseconds - first.Milliseconds);
        at += Varint.Write(block[at..], SequenceOf(first, id));
        if (added.HasShape)
        {
            SetLastShape(block, at);
            at += Varint.WriteBytes(block[at..], shape);
        }

        values.CopyTo(block[at..]);
        Debug.Assert(at + values.Length == block.Length);
        SetLastEntry(block, start);
        SetCount(block, CountOf(block) + 1);
    }

    /// <summary>Removes the entry that a reader has read.</summary>
    /// <returns>The length of the block.</returns>
    public static int Remove(Span<byte> block, int length, StreamId first, scoped in StreamBlockReader entry)
    {
        int count = CountOf(block[..length]);
        Debug.Assert(count > 0);
        if (entry.End == length || entry.HasShape)
            return RemoveSlow(block, length, first, entry.Start);
        int gap = entry.End - entry.Start;
        block[entry.End..length].CopyTo(block[entry.Start..]);
        SetCount(block, count - 1);
        if (LastShapeOf(block) > entry.Start)
            SetLastShape(block, LastShapeOf(block) - gap);
        SetLastEntry(block, LastEntryOf(block) - gap);
        return length - gap;
    }

    // The next entry gets the shape, or another one is the last.
    private static int RemoveSlow(Span<byte> block, int length, StreamId first, int start)
    {
        Span<byte> copy = stackalloc byte[TreeEntry.LengthMax];
        int copied = Begin(copy);
        var reader = new StreamBlockReader(first, block[..length]);
        while (reader.TryRead())
        {
            if (reader.Start == start)
                continue;
            bool isAdded = TryAppend(
                copy, ref copied, copy.Length, first, reader.Id, reader.Shape, reader.Values);
            Debug.Assert(isAdded, "It is shorter than before.");
        }

        copy[..copied].CopyTo(block);
        return copied;
    }

    /// <summary>The shape at a place; empty where there is none.</summary>
    public static ReadOnlySpan<byte> ShapeAt(ReadOnlySpan<byte> block, int place)
    {
        var rest = block[Math.Min(place, block.Length)..];
        return Varint.TryReadBytes(ref rest, out var shape) ? shape : default;
    }

    private static int LastShapeOf(ReadOnlySpan<byte> block) => BinaryPrimitives.ReadUInt16LittleEndian(block[1..]);

    private static int LastEntryOf(ReadOnlySpan<byte> block) => BinaryPrimitives.ReadUInt16LittleEndian(block[3..]);

    private static void SetCount(Span<byte> block, int count) => block[0] = (byte)count;

    private static void SetLastShape(Span<byte> block, int at) =>
        BinaryPrimitives.WriteUInt16LittleEndian(block[1..], (ushort)at);

    private static void SetLastEntry(Span<byte> block, int at) =>
        BinaryPrimitives.WriteUInt16LittleEndian(block[3..], (ushort)at);

    private static ulong SequenceOf(StreamId first, StreamId id) =>
        id.Milliseconds == first.Milliseconds ? id.Sequence - first.Sequence : id.Sequence;

    private static long SizeOf(
        StreamId first, StreamId id, bool hasShape, int shapeLength, int valuesLength, out int rest)
    {
        long size = Varint.SizeOf(id.Milliseconds - first.Milliseconds) + Varint.SizeOf(SequenceOf(first, id))
            + (hasShape ? Varint.SizeOfBytes(shapeLength) : 0) + (long)valuesLength;
        rest = (int)Math.Min(size, int.MaxValue >> 1);
        return size + Varint.SizeOf((ulong)rest << 1);
    }
}

/// <summary>What an entry takes that is added to a block.</summary>
/// <param name="Size">All its bytes.</param>
/// <param name="Rest">Those behind its length.</param>
/// <param name="HasShape">Whether it has a shape of its own.</param>
internal readonly record struct AddedEntry(int Size, int Rest, bool HasShape);

/// <summary>Reads the entries of a block, one after the other; whatever its bytes are, it ends.</summary>
/// <param name="first">The block's first id.</param>
/// <param name="block">Its bytes.</param>
/// <param name="at">Where it begins; in the middle, an entry without a shape of its own has none.</param>
internal ref struct StreamBlockReader(StreamId first, ReadOnlySpan<byte> block, int at = StreamBlock.HeaderSize)
{
    private readonly ReadOnlySpan<byte> _block = block;

    public StreamId Id { get; private set; }

    /// <summary>The fields' names.</summary>
    public ReadOnlySpan<byte> Shape { get; private set; }

    /// <summary>The fields' values.</summary>
    public ReadOnlySpan<byte> Values { get; private set; }

    /// <summary>Whether the shape is the entry's own.</summary>
    public bool HasShape { get; private set; }

    /// <summary>Where the entry begins.</summary>
    public int Start { get; private set; }

    /// <summary>Where its own shape is, with its length.</summary>
    public int ShapeStart { get; private set; }

    /// <summary>Where it ends.</summary>
    public int End { get; private set; } = at;

    public bool TryRead()
    {
        if (End >= _block.Length)
            return false;
        var rest = _block[End..];
        if (!Varint.TryRead(ref rest, out ulong head) || head >> 1 > (ulong)rest.Length)
            return false;
        rest = rest[..(int)(head >> 1)];
        if (!Varint.TryRead(ref rest, out ulong milliseconds) || !Varint.TryRead(ref rest, out ulong sequence))
            return false;
        HasShape = (head & 1) != 0;
        if (HasShape)
        {
            ShapeStart = End + Varint.SizeOf(head) + (int)(head >> 1) - rest.Length;
            if (!Varint.TryReadBytes(ref rest, out var shape))
                return false;
            Shape = shape;
        }

        Id = new StreamId(
            unchecked(first.Milliseconds + milliseconds),
            milliseconds == 0 ? unchecked(first.Sequence + sequence) : sequence);
        Values = rest;
        Start = End;
        End = Start + Varint.SizeOf(head) + (int)(head >> 1);
        return true;
    }
}
