using System.Runtime.InteropServices;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Staging;

/// <summary>Reads what a killed process has left in its ring, and no file has.</summary>
/// <remarks>
/// The bytes are untrusted: whatever they are, what is returned are complete records, each under its checksum, that
/// follow the last written one without a gap. The first place that is not right ends them.
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

        List<(long Sequence, byte[] Block)> found = [];
        long last = lastWritten;
        var slots = SlotsOf(file);
        // A start has written what it found of that chunk, and was killed: what follows is behind what it did not find.
        if (lastUsed != 0 && slots.Any(slot => slot.Sequence == lastWritten && slot.Used != (ulong)lastUsed))
            return [];
        var unwritten = slots.Where(slot => slot.Sequence > lastWritten);
        foreach (var slot in unwritten.OrderBy(static slot => slot.Sequence))
        {
            if (slot.Previous > last) // What lies between is missing.
                break;
            last = slot.Sequence;
            byte[] block = ReadBlock(file, slot);
            if (block.Length > BlockHeader.Size)
                found.Add((slot.Sequence, block));
            if ((ulong)block.Length != slot.Used)
                break;
        }

        return found;
    }

    private static List<Slot> SlotsOf(SafeFileHandle file)
    {
        List<Slot> slots = [];
        byte[] head = new byte[32];
        byte[] expected = new byte[32];
        for (int i = 0; i < StagingArea.ChunksMax; i++)
        {
            long start = SharedRing.HeadSize + (long)i * SharedRing.SlotSize;
            if (RandomAccess.Read(file, head, start + SharedRing.SlotHeadOffset) < head.Length)
                break;
            long sequence = MemoryMarshal.Read<long>(head);
            long previous = MemoryMarshal.Read<long>(head.AsSpan(8));
            SharedRing.WriteSlotHead(expected, sequence, previous);
            if (sequence > 0 && head.AsSpan(0, 20).SequenceEqual(expected.AsSpan(0, 20)))
                slots.Add(new Slot(start, sequence, previous, MemoryMarshal.Read<ulong>(head.AsSpan(24))));
        }

        return slots;
    }

    // The chunk up to its first place that is not complete.
    private static byte[] ReadBlock(SafeFileHandle file, in Slot slot)
    {
        byte[] bytes = new byte[SharedRing.SlotHeadOffset];
        if (RandomAccess.Read(file, bytes, slot.Start) < bytes.Length)
            return [];
        var marks = MemoryMarshal.Cast<byte, ulong>(bytes.AsSpan(SharedRing.MarksOffset));
        var chunk = bytes.AsSpan(0, StagingChunk.Size);
        int end = BlockHeader.Size;
        while (end <= chunk.Length - SharedRing.MarkUnit)
        {
            ulong mark = marks[end / SharedRing.MarkUnit];
            int length = RingMark.LengthOf(mark);
            if (length < SharedRing.MarkUnit || length > chunk.Length - end)
                break;
            var place = chunk.Slice(end, length);
            if (mark != RingMark.Of(place, StagedPlace.LsnOf(slot.Sequence, end)) || !AreComplete(place))
                break;
            end += length;
        }

        return bytes[..end];
    }

    // A long value was in the memory of the process that is gone.
    private static bool AreComplete(ReadOnlySpan<byte> records)
    {
        var reader = new RecordReader(records);
        while (reader.TryRead(out var record))
        {
            if (record.Fields.Kind == RecordKind.Part || (record.Fields.Flags & RecordFlags.Parted) != 0)
                return false;
            if (record.Fields.Kind == RecordKind.Group && !AreComplete(record.Value))
                return false;
        }

        return reader.Problem.Length == 0;
    }

    private readonly record struct Slot(long Start, long Sequence, long Previous, ulong Used);
}
