using System.Runtime.InteropServices;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Staging;

/// <summary>Reads what a killed process has left in its ring, and no file has.</summary>
/// <remarks>
/// The bytes are untrusted: whatever they are, what is returned are complete records, each under its checksum. A place
/// that was reserved and not completed is passed over: its change was made visible to nobody, since that comes behind
/// the completion, and no later record rests on it. Whether a place that is not right is one of these, the count of the
/// completed bytes tells: if some of those are missing, the records end at the first such place.
/// </remarks>
internal static class RingReader
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <param name="path">The ring.</param>
    /// <param name="boot">This run of the system.</param>
    /// <param name="storeId">The store.</param>
    /// <param name="lastWritten">The number of the last chunk whose block is in a file.</param>
    /// <param name="lastUsed">The bytes of that block, with its header, without what aligns it; 0: unknown.</param>
    /// <returns>The chunks behind it, in order: numbers, and blocks whose headers are empty.</returns>
    public static IReadOnlyList<(long Sequence, byte[] Block)> Read(
        string path, Guid boot, ulong storeId, long lastWritten, int lastUsed)
    {
        try
        {
            if (!OperatingSystem.IsLinux() || !File.Exists(path))
                return [];
            using var file = PosixCalls.Open(path, PosixCalls.ReadOnly | PosixCalls.NoWait);
            var mode = File.GetUnixFileMode(file);
            if ((mode & ~OwnerOnly) != 0)
                return [];
            File.SetUnixFileMode(file, mode); // Changes nothing, but is refused for a file of others.
            return Read(file, SharedRing.HeadOf(boot, storeId), lastWritten, lastUsed);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException
            or NotSupportedException)
        {
            return [];
        }
    }

    private static List<(long Sequence, byte[] Block)> Read(
        SafeFileHandle file, byte[] expected, long lastWritten, int lastUsed)
    {
        byte[] head = new byte[SharedRing.HeadSize];
        if (RandomAccess.Read(file, head, 0) < head.Length || !head.AsSpan().StartsWith(expected)
            || MemoryMarshal.Read<ulong>(head.AsSpan(SharedRing.CountsOffset)) != SharedRing.CountsValue)
        {
            return [];
        }

        bool holds = MemoryMarshal.Read<ulong>(head.AsSpan(SharedRing.HoldsOffset)) == SharedRing.HoldsValue;
        List<(long Sequence, byte[] Block)> found = [];
        long last = lastWritten;
        var slots = SlotsOf(file);
        // A start has written what it found of that chunk, and was killed: what follows is behind what it did not find.
        if (lastUsed != 0 && slots.Any(slot => slot.Sequence == lastWritten && slot.Used != (ulong)lastUsed
            && !ReadChunk(file, slot, holds).IsWhole))
        {
            return [];
        }

        var unwritten = slots.Where(slot => slot.Sequence > lastWritten);
        foreach (var slot in unwritten.OrderBy(static slot => slot.Sequence))
        {
            if (slot.Previous > last) // What lies between is missing.
                break;
            last = slot.Sequence;
            var (block, isWhole) = ReadChunk(file, slot, holds);
            if (block.Length > BlockHeader.Size)
                found.Add((slot.Sequence, block));
            if (!isWhole)
                break;
        }

        return found;
    }

    private static List<Slot> SlotsOf(SafeFileHandle file)
    {
        List<Slot> slots = [];
        byte[] head = new byte[SharedRing.FilledOffset + sizeof(int)];
        byte[] expected = new byte[32];
        for (int i = 0; i < StagingArea.ChunksMax; i++)
        {
            long start = SharedRing.HeadSize + (long)i * SharedRing.SlotSize;
            if (RandomAccess.Read(file, head, start + SharedRing.SlotHeadOffset) < head.Length)
                break;
            long sequence = MemoryMarshal.Read<long>(head);
            long previous = MemoryMarshal.Read<long>(head.AsSpan(8));
            SharedRing.WriteSlotHead(expected, sequence, previous);
            if (sequence <= 0 || !head.AsSpan(0, 20).SequenceEqual(expected.AsSpan(0, 20)))
                continue;
            ulong used = MemoryMarshal.Read<ulong>(head.AsSpan(24));
            int filled = MemoryMarshal.Read<int>(head.AsSpan(SharedRing.FilledOffset));
            slots.Add(new Slot(start, sequence, previous, used, filled));
        }

        return slots;
    }

    /// <summary>The records of a chunk at their places, with voids between them.</summary>
    /// <param name="file">The ring.</param>
    /// <param name="slot">Where the chunk is.</param>
    /// <param name="holds">Whether nothing was acknowledged that is in no file.</param>
    /// <returns>IsWhole: whether records of later chunks follow these.</returns>
    private static (byte[] Block, bool IsWhole) ReadChunk(SafeFileHandle file, in Slot slot, bool holds)
    {
        byte[] bytes = new byte[SharedRing.SlotHeadOffset];
        if (RandomAccess.Read(file, bytes, slot.Start) < bytes.Length)
            return ([], false);
        var marks = MemoryMarshal.Cast<byte, ulong>(bytes.AsSpan(SharedRing.MarksOffset));
        var chunk = bytes.AsSpan(0, StagingChunk.Size);
        int end = BlockHeader.Size;
        int firstGap = 0;
        int filled = 0;
        for (int position = end; position <= chunk.Length - SharedRing.MarkUnit;)
        {
            int length = LengthOfPlace(chunk, position, marks[position / SharedRing.MarkUnit], slot.Sequence);
            if (length == 0)
            {
                position += RecordLayout.Alignment;
                continue;
            }

            if (position != end)
            {
                firstGap = firstGap == 0 ? end : firstGap;
                RecordLayout.WriteVoid(chunk[end..position]);
            }

            filled += length;
            position += length;
            end = position;
        }

        bool isWhole = filled >= slot.Filled;
        if (!isWhole && firstGap != 0)
            end = firstGap;
        int usable = BlockHeader.Size + Complete(chunk[BlockHeader.Size..end], holds);
        return (bytes[..usable], isWhole && usable == end);
    }

    // 0 if none begins there that is complete.
    private static int LengthOfPlace(ReadOnlySpan<byte> chunk, int position, ulong mark, long sequence)
    {
        int length = RingMark.LengthOf(mark);
        if (length < SharedRing.MarkUnit || length > chunk.Length - position)
            return 0;
        return mark == RingMark.Of(chunk.Slice(position, length), StagedPlace.LsnOf(sequence, position)) ? length : 0;
    }

    // So many bytes are records, or become such.
    private static int Complete(Span<byte> records, bool holds)
    {
        var reader = new RecordReader(records);
        int end = 0;
        while (reader.TryRead(out var record) && TryComplete(records[end..reader.Position], record, holds))
            end = reader.Position;
        return end;
    }

    // A long value was in the memory of the process that is gone: what its key had before must not come back, and
    // later changes of it come to nothing. Where nothing was acknowledged that is in no file, its key is as it was
    // acknowledged last, and the records end. The keys of a long group were there too, and the name of a long element:
    // its collection is in files, and must not go for it.
    private static bool TryComplete(Span<byte> bytes, in RecordView record, bool holds)
    {
        bool isParted = (record.Fields.Flags & RecordFlags.Parted) != 0;
        switch (record.Fields.Kind)
        {
            case RecordKind.Part:
            case RecordKind.Elements when isParted:
                return false;
            case RecordKind.Group:
                var records = bytes.Slice(RecordLayout.GroupHeadSize, isParted ? 0 : record.ValueLength);
                return !isParted && !MovesLong(records) && Complete(records, holds) == records.Length;
        }

        if (isParted && holds)
            return false;
        if (isParted)
            WriteRemoval(bytes, record.Fields.Keyspace, record.Key.ToArray());
        return true;
    }

    // A value that is missing may be that of a key which goes with it: a file still has it there.
    private static bool MovesLong(ReadOnlySpan<byte> records)
    {
        bool hasLong = false;
        bool removes = false;
        var reader = new RecordReader(records);
        while (reader.TryRead(out var record))
        {
            hasLong |= (record.Fields.Flags & RecordFlags.Parted) != 0;
            removes |= record.Fields.Kind == RecordKind.Remove;
        }

        return hasLong && removes;
    }

    private static void WriteRemoval(Span<byte> bytes, byte keyspace, byte[] key)
    {
        var fields = new RecordFields { Kind = RecordKind.Remove, Keyspace = keyspace };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, key.Length, 0);
        RecordLayout.Write(bytes[..size], fields, key, default, 0);
        if (size < bytes.Length)
            RecordLayout.WriteVoid(bytes[size..]);
    }

    private readonly record struct Slot(long Start, long Sequence, long Previous, ulong Used, int Filled);
}
