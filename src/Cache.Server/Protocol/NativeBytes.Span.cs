using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Server.Protocol;

/// <summary>Memory outside the managed heap that grows in place and is given back at once.</summary>
/// <remarks>
/// Algorithm: on Linux a mapping, whose pages take memory when they are first written; it grows by mremap, which moves
/// entries of the page table rather than bytes. Its pages are small ones, so that only written pages are resident.
/// Elsewhere the allocator grows it, which may copy: by doubling, each byte is copied at most twice.
/// A request's bytes must not become dead arrays: those are not counted, and stay until a collection. Concurrency: one
/// thread at a time. Invariant: _start points to _length bytes until it is disposed of.
/// </remarks>
internal sealed unsafe partial class NativeBytes : IDisposable
{
    private const int ProtectReadWrite = 1 | 2;
    private const int MapPrivateAnonymousUncharged = 0x02 | 0x20 | 0x4000;
    private const int MayMove = 1;
    private const int AdviseSmallPages = 15;
    private const nint Failed = -1;

    // Longer ones are given back on a thread of the pool: the system takes 0.1 to 0.2 microseconds for a page.
    private const int FreeHereBytesMax = 4 << 20;

    private byte* _start;
    private int _length;

    /// <exception cref="OutOfMemoryException">The system does not give it.</exception>
    public NativeBytes(int length)
    {
        Debug.Assert(length > 0);
        if (OperatingSystem.IsLinux())
        {
            nint start = Map(0, (nuint)length, ProtectReadWrite, MapPrivateAnonymousUncharged, -1, 0);
            if (start == Failed)
                throw new InsufficientMemoryException();
            _start = (byte*)start;
            _ = Advise(_start, (nuint)length, AdviseSmallPages); // Fails where huge pages are off.
        }
        else
        {
            _start = (byte*)NativeMemory.Alloc((nuint)length);
        }

        _length = length;
    }

    /// <summary>Frees memory that was never disposed of, for a request whose connection was lost by a defect.</summary>
    ~NativeBytes() => Free();

    public int Length => _length;

    /// <summary>The bytes; valid until the next <see cref="Grow"/> and until it is disposed of.</summary>
    public Span<byte> Span
    {
        get
        {
            Debug.Assert(_start is not null || _length == 0);
            return new Span<byte>(_start, _length);
        }
    }

    /// <summary>Makes it longer; keeps its bytes; the new ones are arbitrary.</summary>
    /// <exception cref="OutOfMemoryException">The system does not give it; nothing has changed.</exception>
    public void Grow(int length)
    {
        Debug.Assert(_start is not null);
        Debug.Assert(length > _length);
        if (OperatingSystem.IsLinux())
        {
            nint start = Remap(_start, (nuint)_length, (nuint)length, MayMove);
            if (start == Failed)
                throw new InsufficientMemoryException();
            _start = (byte*)start;
        }
        else
        {
            _start = (byte*)NativeMemory.Realloc(_start, (nuint)length);
        }

        _length = length;
    }

    public void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        byte* start = _start;
        int length = _length;
        _start = null;
        _length = 0;
        if (start is null)
            return;
        if (length <= FreeHereBytesMax)
        {
            Free((nint)start, length);
            return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static run => Free(run.Start, run.Length), (Start: (nint)start, Length: length), preferLocal: false);
    }

    private static void Free(nint start, int length)
    {
        if (OperatingSystem.IsLinux())
            _ = Unmap((byte*)start, (nuint)length);
        else
            NativeMemory.Free((byte*)start);
    }

    [LibraryImport("libc", EntryPoint = "mmap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "mremap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Remap(byte* address, nuint oldLength, nuint newLength, int flags);

    [LibraryImport("libc", EntryPoint = "munmap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Unmap(byte* address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Advise(byte* address, nuint length, int advice);
}
