using System.Buffers;
using System.Diagnostics;
using Cache.Server.Protocol;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>Assembles the bytes of a request that is not in one stretch of the input.</summary>
/// <remarks>
/// Grows with the bytes that arrive: to at most four times their number and not beyond the declared length, but always
/// by a fraction of the present length, so that each byte is copied a bounded number of times, however many arguments
/// follow. A long request is in native memory, which grows in place and takes pages as they are filled. Bytes can be
/// received directly into its free memory. The memory is given back with each request: an idle connection holds none.
/// </remarks>
internal sealed class StraddlingRequest : FillTarget
{
    // Fewer bytes are not worth a receive of their own.
    private const int FillBytesMin = 4 * 1024;

    // Enough for a usual request, so that most never grow.
    private const int BytesMin = 1024;

    private const int GrowthFactor = 4;

    // It grows at least by this fraction of its length.
    private const int GrowthShare = 2;

    // Longer requests are in native memory: the pool would keep some dozens of arrays of each length, uncounted.
    private const int PooledBytesMax = 1 << 20;

    // The unit in which native memory is counted.
    private const int PageBytes = 4096;

    private byte[] _array = [];
    private NativeBytes? _native;
    private int _fillEnd;

    // The highest length of native memory that was ever filled, and so has pages.
    private int _touched;

    /// <summary>The number of bytes; 0 when there is no such request.</summary>
    public int Length { get; private set; }

    /// <summary>The bytes of free memory.</summary>
    public int FreeBytes => Capacity - Length;

    /// <summary>The bytes of memory that it holds.</summary>
    public int MemoryBytes => _native is null
        ? _array.Length
        : (int)Math.Min(((long)Math.Max(_touched, Length) + (PageBytes - 1)) & -PageBytes, int.MaxValue);

    public ReadOnlySpan<byte> Span => Memory[..Length];

    public override Span<byte> Room => Memory[Length.._fillEnd];

    private int Capacity => _native?.Length ?? _array.Length;

    private Span<byte> Memory => _native is null ? _array : _native.Span;

    /// <summary>Whether enough bytes are missing, and have memory here, to receive them here directly.</summary>
    /// <param name="expectedLength">
    /// The least length of the whole request; its last byte is not received here, since that completes the request.
    /// </param>
    public bool TryBeginFill(int expectedLength)
    {
        _fillEnd = Math.Min(Capacity, expectedLength - 1);
        return _fillEnd - Length >= FillBytesMin;
    }

    public override void Advance(int count)
    {
        Debug.Assert(count > 0 && count <= _fillEnd - Length);
        Length += count;
    }

    /// <param name="bytes">The next bytes.</param>
    /// <param name="expectedLength">The least length of the whole request; limits growth, never causes it.</param>
    public void Append(ReadOnlySpan<byte> bytes, int expectedLength)
    {
        if (FreeBytes < bytes.Length)
            Grow(checked(Length + bytes.Length), expectedLength);
        bytes.CopyTo(Memory[Length..]);
        Length += bytes.Length;
    }

    /// <summary>Removes bytes from the middle; those behind them move up.</summary>
    public void Cut(int start, int count)
    {
        _touched = Math.Max(_touched, Length);
        var memory = Memory;
        memory[(start + count)..Length].CopyTo(memory[start..]);
        Length -= count;
    }

    /// <summary>Forgets the bytes and gives the memory back.</summary>
    public void Clear()
    {
        Length = 0;
        _touched = 0;
        GiveBackArray();
        _native?.Dispose();
        _native = null;
    }

    private void Grow(int length, int expectedLength)
    {
        Debug.Assert(length > Capacity);
        long wanted = Math.Max(Math.Min(length * (long)GrowthFactor, expectedLength), BytesMin);
        wanted = Math.Max(wanted, length + ((long)length / GrowthShare));
        int size = (int)Math.Min(wanted, Array.MaxLength);
        if (_native is not null)
            _native.Grow(size);
        else if (size > PooledBytesMax)
            MoveOut(size);
        else
            MoveTo(ArrayPool<byte>.Shared.Rent(size));
    }

    private void MoveOut(int size)
    {
        var native = new NativeBytes(size);
        Span.CopyTo(native.Span);
        GiveBackArray();
        _native = native;
    }

    private void MoveTo(byte[] larger)
    {
        Span.CopyTo(larger);
        GiveBackArray();
        _array = larger;
    }

    private void GiveBackArray()
    {
        if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = [];
    }
}
