using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>
/// A range of address space, readable and writable, whose pages take memory when they are first written.
/// </summary>
/// <remarks>
/// Zero at first, aligned to 2 MB, and mapped until nothing in the process can reach it: a reader with a stale address
/// reads garbage, and never faults. It ends in two steps. <see cref="Dispose"/> gives the memory back at once; the
/// addresses stay, and read as zeros, until the collector finds no reference to this object, hence no thread inside an
/// operation of its store. On Linux it is mapped without committing memory, so that it may be as long as the machine's
/// memory and a limit may rise later; on other systems it is a plain allocation of the least length, whose memory is
/// given back with the addresses.
/// </remarks>
internal sealed unsafe partial class NativeReservation : IDisposable
{
    /// <summary>Bytes behind the end that may be read: by a garbage length of a key or a trailer.</summary>
    public const int TailBytes = 1 << 20;

    /// <summary>
    /// After this many closings a collection is requested, to find the unreferenced ones: each keeps addresses as long
    /// as the machine's memory, of which a process has room for thousands.
    /// </summary>
    public const int ClosedPerCollection = 256;

    private const int Alignment = 2 << 20;
    private const int ProtectReadWrite = 1 | 2;
    private const int MapPrivateAnonymousUncharged = 0x02 | 0x20 | 0x4000;
    private const int AdviseUnused = 4;
    private const int AdviseHugePages = 14;
    private const int AdviseSmallPages = 15;
    private const int AdviseToPopulate = 23;

    // The closed ones that are still mapped, in the whole process; and the closings since the last collection.
    // Interlocked.
    private static int _closedCount;
    private static int _closedSinceCollection;

    // The bytes that a thread has given back, for tests: threads that others wait for must give back little.
    [ThreadStatic]
    private static long _discardedByThread;

    private readonly byte* _mapping;
    private readonly nuint _mappingLength;
    private readonly bool _hugePages;

    // Held while memory is populated in the background, which must not happen after the closing.
    private readonly Lock _populationGate = new();
    private bool _isClosed;

    /// <param name="lengthMin">The least length.</param>
    /// <param name="lengthWanted">The length if the system allows it.</param>
    /// <param name="hugePages">Whether to ask for huge pages; else they are declined.</param>
    /// <param name="isOneRange">False if its user tells the checked build which parts may be used.</param>
    /// <exception cref="OutOfMemoryException">The system refuses even the least length.</exception>
    public NativeReservation(long lengthMin, long lengthWanted, bool hugePages, bool isOneRange = true)
    {
        for (Length = Math.Max(lengthMin, lengthWanted); ; Length = Math.Max(lengthMin, Length / 2))
        {
            _mappingLength = (nuint)(Length + Alignment + TailBytes);
            _mapping = OperatingSystem.IsLinux() ? Map(_mappingLength) : null;
            if (_mapping is not null || Length == lengthMin)
                break;
        }

        if (_mapping is null)
        {
            Length = lengthMin;
            _mappingLength = (nuint)(Length + Alignment + TailBytes);
            _mapping = (byte*)NativeMemory.AllocZeroed(_mappingLength);
            IsMapped = false;
        }

        Start = (byte*)(((nuint)_mapping + (Alignment - 1)) & ~(nuint)(Alignment - 1));
        _hugePages = hugePages && IsMapped;
        UseHugePages(true);
        if (!hugePages && IsMapped) // A system may use them by default, and one used page would cost 512.
            _ = Advise(Start, (nuint)Length, AdviseSmallPages);
        if (isOneRange)
            AddressCheck.Register(Start, Length + TailBytes);
    }

    ~NativeReservation()
    {
        if (_mapping is null)
            return; // The constructor has thrown.
        AddressCheck.Unregister(Start);
        if (IsMapped)
            _ = Unmap(_mapping, _mappingLength);
        else
            NativeMemory.Free(_mapping);
        if (_isClosed)
            Interlocked.Decrement(ref _closedCount);
    }

    /// <summary>The closed ones that are still mapped.</summary>
    public static int ClosedCount => Volatile.Read(ref _closedCount);

    /// <summary>The bytes that the calling thread has given back to the system.</summary>
    public static long DiscardedByThread => _discardedByThread;

    public byte* Start { get; }

    /// <summary>Where it starts, as a number: for tests that look at what was written.</summary>
    public nuint Address => (nuint)Start;

    public long Length { get; }

    private bool IsMapped { get; } = true;

    /// <summary>Asks for huge pages, if the reservation was created with them, or for small ones.</summary>
    public void UseHugePages(bool huge)
    {
        if (_hugePages) // Advice: without it a cold read is a third slower.
            _ = Advise(Start, (nuint)Length, huge ? AdviseHugePages : AdviseSmallPages);
    }

    /// <summary>Whether a part of it is between two addresses: for tests that ask the system about these.</summary>
    public bool Overlaps(ulong start, ulong end) => start < (ulong)Start + (ulong)Length && end > (ulong)Start;

    /// <summary>Gives the memory of whole pages back to the system; they read as zeros from now on.</summary>
    /// <returns>False if nothing happened: the memory keeps its content.</returns>
    public bool TryDiscard(long offset, long length)
    {
        Debug.Assert(offset >= 0 && length >= 0 && offset + length <= Length);
        Debug.Assert(offset % Environment.SystemPageSize == 0);
        if (!IsMapped || Advise(Start + offset, (nuint)length, AdviseUnused) != 0)
            return false;
        _discardedByThread += length;
        return true;
    }

    /// <summary>Populates the memory of a range now instead of at the first write; keeps its content.</summary>
    public void Populate(long offset, long length)
    {
        Debug.Assert(offset >= 0 && length >= 0);
        lock (_populationGate)
        {
            if (!_isClosed && IsMapped && offset + length <= Length) // Advice, unknown to kernels before 5.14.
                _ = Advise(Start + offset, (nuint)length, AdviseToPopulate);
        }
    }

    /// <summary>Gives all memory except the tail's back to the system, once; the addresses stay.</summary>
    [SuppressMessage("Usage", "CA1816", Justification = "The addresses are unmapped when this object is unreachable.")]
    public void Dispose()
    {
        lock (_populationGate)
        {
            if (_isClosed)
                return;
            _isClosed = true;
            _ = TryDiscard(0, Length);
        }

        Interlocked.Increment(ref _closedCount);
        if (Interlocked.Increment(ref _closedSinceCollection) % ClosedPerCollection == 0)
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: false);
    }

    /// <summary>Allocates separate whole pages; null if the system has none.</summary>
    public static byte* TryMapPages(long length)
    {
        if (OperatingSystem.IsLinux())
            return Map((nuint)length);
        try
        {
            return (byte*)NativeMemory.Alloc((nuint)length);
        }
        catch (OutOfMemoryException)
        {
            return null;
        }
    }

    /// <summary>Gives such pages back.</summary>
    public static void UnmapPages(byte* start, long length)
    {
        if (!OperatingSystem.IsLinux())
            NativeMemory.Free(start);
        else if (Unmap(start, (nuint)length) != 0) // Mappings are limited: the memory at least goes.
            _ = Advise(start, (nuint)length, AdviseUnused);
    }

    private static byte* Map(nuint length)
    {
        nint address = MapCore(0, length, ProtectReadWrite, MapPrivateAnonymousUncharged, -1, 0);
        return address == -1 ? null : (byte*)address;
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint MapCore(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Unmap(byte* address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Advise(byte* address, nuint length, int advice);
}
