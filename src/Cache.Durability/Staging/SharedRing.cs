using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Cache.Core.Layout;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Staging;

/// <summary>
/// Chunks in memory that outlives a killed process: the next start finds records that were not written.
/// </summary>
/// <remarks>
/// <code>
///     head         0 u64 magic   8 u128 boot   24 u64 store   32 u32 CRC32C of 0..31   40 u64 whether records count
///                  48 u64 whether a change is acknowledged only once it is in a file
///     slot         chunk │ marks │ 0 u64 number   8 u64 number of the chunk before   16 u32 CRC32C of 0..15
///                                  24 u64 used bytes, once it is sealed   128 u32 completed bytes
///     mark         a word for each 16 bytes of the chunk; of the first of a filled place: its length / 8 (16 bits),
///                  and 48 bits of a checksum of its bytes and its place in the order
/// </code>
/// A mark is written behind the bytes of its place, so a place is complete if its mark is right: one that was reserved
/// and not filled has an older mark, of another place in the order. The completed bytes are counted behind the mark,
/// and before anybody sees the change. No call of the system is made but for new slots.
/// A file in a folder of the memory's own file system, only for its owner; it is made beside the old one, and replaces
/// it once the records of that are in files. Its process has a lock of it, so that another process, for which a copy of
/// the directory has the same path, neither reads nor replaces it. Concurrency: as the chunks.
/// </remarks>
internal sealed class SharedRing
{
    public const int HeadSize = 4096;
    public const int SlotSize = SlotHeadOffset + PageBytes;

    /// <summary>Where a slot's marks begin.</summary>
    public const int MarksOffset = StagingChunk.Size;

    public const int MarksBytes = StagingChunk.Size / MarkUnit * sizeof(ulong);

    /// <summary>Where a slot's number is.</summary>
    public const int SlotHeadOffset = MarksOffset + MarksBytes;

    /// <summary>Where the count of a chunk's completed bytes is, behind its head: on cache lines of its own.</summary>
    public const int FilledOffset = 128;

    /// <summary>No place is shorter, so each has a mark of its own.</summary>
    public const int MarkUnit = 16;

    public const int CountsOffset = 40;
    public const ulong CountsValue = 0x53544E554F434552;
    public const int HoldsOffset = 48;
    public const ulong HoldsValue = 0x5245504C59484C44;

    // Without them no writer could continue while one is written.
    private const int SlotsFirst = 2;

    private const int PageBytes = 4096;
    private const ulong Magic = 0x32474E4952484343;
    private const string NewEnding = ".new";
    private const string BootFile = "/proc/sys/kernel/random/boot_id";
    private const int NameBytes = 16;

    private readonly string _path;
    private readonly SafeFileHandle _file;
    private readonly SharedMapping _mapping;
    private readonly bool[] _isAllocated;

    private SharedRing(string path, SafeFileHandle file, SharedMapping mapping, int slots)
    {
        (_path, _file, _mapping) = (path, file, mapping);
        _isAllocated = new bool[slots];
        _isAllocated.AsSpan(0, SlotsFirst).Fill(true);
    }

    /// <summary>The name of a directory's ring.</summary>
    /// <param name="folder">The folder of rings.</param>
    /// <param name="directory">The path of the directory.</param>
    /// <param name="storeId">Its number: a copy has another path, another store in its place another number.</param>
    public static string PathOf(string folder, string directory, ulong storeId)
    {
        directory = Path.TrimEndingDirectorySeparator(directory); // With or without it is the same directory.
        byte[] hash = SHA256.HashData(Encoding.UTF8.GetBytes($"{storeId:x16} {directory}"));
        return Path.Combine(folder, $"cache-{Convert.ToHexStringLower(hash.AsSpan(0, NameBytes))}");
    }

    /// <summary>The number of this run of the system; null if it has none.</summary>
    public static Guid? ReadBoot()
    {
        try
        {
            return Guid.TryParse(File.ReadAllText(BootFile).Trim(), out var boot) ? boot : null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null; // Not Linux, or hidden.
        }
    }

    /// <summary>Whether a living process has a ring with this name.</summary>
    public static bool IsHeld(string path)
    {
        try
        {
            if (!OperatingSystem.IsLinux() || !File.Exists(path))
                return false;
            using var file = PosixCalls.Open(path, PosixCalls.ReadOnly | PosixCalls.NoWait);
            return !PosixCalls.TryLock(file, path);
        }
        catch (IOException)
        {
            return false; // It is not for this user, and so of no process with this directory.
        }
    }

    /// <summary>The bytes that identify a ring.</summary>
    public static byte[] HeadOf(Guid boot, ulong storeId)
    {
        byte[] head = new byte[CountsOffset];
        MemoryMarshal.Write(head, Magic);
        MemoryMarshal.Write(head.AsSpan(8), boot);
        MemoryMarshal.Write(head.AsSpan(24), storeId);
        MemoryMarshal.Write(head.AsSpan(32), Crc32C.Of(head.AsSpan(0, 32)));
        return head;
    }

    /// <summary>The bytes that identify a chunk.</summary>
    public static void WriteSlotHead(Span<byte> head, long sequence, long previous)
    {
        MemoryMarshal.Write(head, sequence);
        MemoryMarshal.Write(head[8..], previous);
        MemoryMarshal.Write(head[16..], Crc32C.Of(head[..16]));
        MemoryMarshal.Write(head[24..], 0UL);
    }

    /// <summary>Makes a new ring, which counts after <see cref="TryPublish"/>; null where that is impossible.</summary>
    public static SharedRing? TryCreate(string path, int slots, ulong storeId, out string problem)
    {
        problem = "";
        Debug.Assert(slots >= SlotsFirst);
        SafeFileHandle? file = null;
        try
        {
            if (!OperatingSystem.IsLinux() || ReadBoot() is not { } boot)
                throw new IOException("the system has none");
            if (IsHeld(path + NewEnding))
                throw new IOException("another process begins with it");
            File.Delete(path + NewEnding);
            file = PosixCalls.Open(path + NewEnding, PosixCalls.ReadWrite | PosixCalls.Create | PosixCalls.Exclusive);
            if (!PosixCalls.TryLockShared(file, path))
                throw new IOException("another process has it");
            int length = HeadSize + slots * SlotSize;
            RandomAccess.SetLength(file, length);
            if (!PosixCalls.TryAllocate(file, 0, HeadSize + SlotsFirst * SlotSize))
                throw new IOException("it is full");
            var ring = new SharedRing(path, file, new SharedMapping(file, length), slots);
            HeadOf(boot, storeId).CopyTo(ring._mapping.Slice(0, HeadSize));
            ring.SetCounting(true);
            return ring;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            problem = failure.Message;
            if (file != null)
                DeleteQuietly(path + NewEnding);
            file?.Dispose();
            return null;
        }
    }

    /// <summary>Replaces the ring of the last process, whose records are in files now.</summary>
    public bool TryPublish(out string problem)
    {
        problem = "";
        try
        {
            File.Move(_path + NewEnding, _path, overwrite: true);
            return true;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            problem = failure.Message;
            DeleteQuietly(_path + NewEnding);
            return false;
        }
    }

    /// <summary>Gives it up before it was published.</summary>
    public void Abandon()
    {
        DeleteQuietly(_path + NewEnding);
        Release();
    }

    /// <summary>Whether its records continue the files that a start reads.</summary>
    public void SetCounting(bool counts) =>
        MemoryMarshal.Write(_mapping.Slice(CountsOffset, sizeof(ulong)), counts ? CountsValue : 0);

    /// <summary>Whether a change is acknowledged only once it is in a file, as <c>always</c> promises.</summary>
    public void SetHolding(bool holds) =>
        MemoryMarshal.Write(_mapping.Slice(HoldsOffset, sizeof(ulong)), holds ? HoldsValue : 0);

    /// <summary>Whether a slot has memory, perhaps from now on. Under the gate of the staging.</summary>
    public bool TryAllocate(int slot)
    {
        if (!_isAllocated[slot])
            _isAllocated[slot] = PosixCalls.TryAllocate(_file, StartOf(slot), SlotSize);
        return _isAllocated[slot];
    }

    /// <summary>The memory of a chunk.</summary>
    public Memory<byte> MemoryOf(int slot) => _mapping.Memory.Slice(StartOf(slot), StagingChunk.Size);

    /// <summary>A part of a chunk.</summary>
    public Span<byte> Slice(int slot, int offset, int length) => _mapping.Slice(StartOf(slot) + offset, length);

    /// <summary>Begins a use of a chunk.</summary>
    /// <param name="slot">Its slot.</param>
    /// <param name="sequence">Its number.</param>
    /// <param name="previous">The chunk before it; 0 if a start needs none.</param>
    public void Open(int slot, long sequence, long previous) =>
        WriteSlotHead(Slice(slot, SlotHeadOffset, PageBytes), sequence, previous);

    /// <summary>The completed bytes of a chunk.</summary>
    public ref int FilledOf(int slot) =>
        ref MemoryMarshal.Cast<byte, int>(Slice(slot, SlotHeadOffset + FilledOffset, sizeof(int)))[0];

    /// <summary>Ends a chunk: so many of its bytes were reserved.</summary>
    public void Seal(int slot, int used) =>
        MemoryMarshal.Write(Slice(slot, SlotHeadOffset + 24, sizeof(ulong)), (ulong)used);

    /// <summary>Forgets a chunk that was written.</summary>
    public void Free(int slot) => MemoryMarshal.Write(Slice(slot, SlotHeadOffset, sizeof(ulong)), 0UL);

    /// <summary>Marks a place as filled.</summary>
    public void Mark(int slot, long sequence, int offset, int length)
    {
        Debug.Assert(length >= MarkUnit);
        ulong mark = RingMark.Of(Slice(slot, offset, length), StagedPlace.LsnOf(sequence, offset));
        var marks = MemoryMarshal.Cast<byte, ulong>(Slice(slot, MarksOffset, MarksBytes));
        Volatile.Write(ref marks[offset / MarkUnit], mark); // Behind the bytes.
    }

    /// <summary>Ends it, after a clean stop: no place is reserved any more, and none is open.</summary>
    public void Delete()
    {
        DeleteQuietly(_path);
        Release();
    }

    public static void DeleteQuietly(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // The next start replaces it, or ignores it.
        }
    }

    // Mapped until nothing can reach it, but it takes no memory until then.
    private void Release()
    {
        if (_file.IsClosed)
            return;
        PosixCalls.Discard(_file, HeadSize + _isAllocated.Length * SlotSize);
        PosixCalls.Unlock(_file);
        _file.Dispose();
    }

    private static int StartOf(int slot) => HeadSize + slot * SlotSize;
}
