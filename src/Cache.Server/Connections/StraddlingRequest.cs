using System.Buffers;
using System.Diagnostics;
using Cache.Server.Protocol;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>The bytes of a request that did not lie in one stretch of the input, put together.</summary>
/// <remarks>
/// Grows with the bytes that arrive: to four times as many at the most and no further than the client declared, but
/// always by a share of what is there, so that each byte is copied a bounded number of times however many arguments it
/// is followed by. A long request lies in native memory, which grows in place and whose pages are taken as they are
/// filled. What there is memory for already can be received into it. The memory is given back with each request: an
/// idle connection holds none.
/// </remarks>
internal sealed class StraddlingRequest : FillTarget
{
    // Less is worth no receive of its own.
    private const int FillBytesMin = 4 * 1024;

    // Holds a usual request, so that most never grow.
    private const int BytesMin = 1024;

    private const int GrowthFactor = 4;

    // The least growth is by this part of what is there.
    private const int GrowthShare = 2;

    // Longer ones lie in native memory: the pool keeps what it gets back, some dozens of arrays of each length, and
    // nobody counts them.
    private const int PooledBytesMax = 1 << 20;

    // What native memory is counted in.
    private const int PageBytes = 4096;

    private byte[] _array = [];
    private NativeBytes? _native;
    private int _fillEnd;

    // How far the native memory was ever filled: so far it has pages.
    private int _touched;

    /// <summary>The number of bytes; 0 when there is no such request.</summary>
    public int Length { get; private set; }

    /// <summary>How many bytes more there is memory for.</summary>
    public int FreeBytes => Capacity - Length;

    /// <summary>How many bytes of memory it holds.</summary>
    public int MemoryBytes => _native is null
        ? _array.Length
        : (int)Math.Min(((long)Math.Max(_touched, Length) + (PageBytes - 1)) & -PageBytes, int.MaxValue);

    public ReadOnlySpan<byte> Span => Memory[..Length];

    public override Span<byte> Room => Memory[Length.._fillEnd];

    private int Capacity => _native?.Length ?? _array.Length;

    private Span<byte> Memory => _native is null ? _array : _native.Span;

    /// <summary>Whether so much is missing, and there is memory for it, that it is to be received here.</summary>
    /// <param name="expectedLength">
    /// How long the request will be at least; its last byte is not received here, for it is the one that is acted upon.
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

    /// <param name="bytes">What follows.</param>
    /// <param name="expectedLength">How long the request will be at least; limits growth, never causes it.</param>
    public void Append(ReadOnlySpan<byte> bytes, int expectedLength)
    {
        if (FreeBytes < bytes.Length)
            Grow(checked(Length + bytes.Length), expectedLength);
        bytes.CopyTo(Memory[Length..]);
        Length += bytes.Length;
    }

    /// <summary>Takes bytes out of the middle; those behind them move up.</summary>
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
