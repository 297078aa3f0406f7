using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Cache.Core.Layout;

/// <summary>The bytes of a file as memory: what is written there outlives the process.</summary>
/// <remarks>
/// Mapped until nothing in the process can reach it, so that no late writer faults. The caller has allocated the parts
/// of the file that are used: a page for which the system finds no room ends the process. Linux only.
/// </remarks>
internal sealed unsafe partial class SharedMapping : MemoryManager<byte>
{
    private const int ProtectReadWrite = 1 | 2;
    private const int MapShared = 1;

    private readonly Region _region;
    private readonly byte* _start;
    private readonly int _length;

    /// <param name="file">It is at least so long, and may be closed afterwards.</param>
    /// <param name="length">The length.</param>
    /// <exception cref="IOException">The system refuses.</exception>
    public SharedMapping(SafeFileHandle file, int length)
    {
        Debug.Assert(length > 0);
        Debug.Assert(RandomAccess.GetLength(file) >= length);
        nint start = Map(0, (nuint)length, ProtectReadWrite, MapShared, file, 0);
        _region = new Region(start, length);
        if (_region.IsInvalid)
            throw new IOException(Marshal.GetLastPInvokeErrorMessage());
        _start = (byte*)start;
        _length = length;
    }

    public Span<byte> Slice(int offset, int length)
    {
        Debug.Assert(offset >= 0);
        Debug.Assert(length >= 0);
        Debug.Assert(offset <= _length - length);
        return new Span<byte>(_start + offset, length);
    }

    public override Span<byte> GetSpan() => new(_start, _length);

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        Debug.Assert((uint)elementIndex <= (uint)_length);
        return new MemoryHandle(_start + elementIndex, default, this);
    }

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _region.Dispose();
    }

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial nint Map(
        nint address, nuint length, int protection, int flags, SafeFileHandle file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Unmap(nint address, nuint length);

    // Unmapped when the collector finds no reference to the mapping, hence no thread that fills a place in it.
    private sealed class Region : SafeHandleZeroOrMinusOneIsInvalid
    {
        private readonly int _length;

        public Region(nint start, int length)
            : base(ownsHandle: true)
        {
            SetHandle(start);
            _length = length;
        }

        protected override bool ReleaseHandle() => Unmap(handle, (nuint)_length) == 0;
    }
}
