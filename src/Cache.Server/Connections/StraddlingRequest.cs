using System.Buffers;
using System.Diagnostics;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

/// <summary>The bytes of a request that did not lie in one stretch of the input, put together.</summary>
/// <remarks>
/// Grows with the bytes that arrive, to four times as many at the most and no further than the client declared, so that
/// each byte is copied a bounded number of times. What there is memory for already can be received into it. The memory
/// is given back with each request: an idle connection holds none.
/// </remarks>
internal sealed class StraddlingRequest : FillTarget
{
    // Less is worth no receive of its own.
    private const int FillBytesMin = 4 * 1024;

    // Holds a usual request, so that most never grow.
    private const int BytesMin = 1024;

    private const int GrowthFactor = 4;

    // Larger memory is made to measure, for the pool rounds up to a power of two and would keep it.
    private const int PooledBytesMax = 16 << 20;

    private byte[] _array = [];
    private int _fillEnd;

    /// <summary>The number of bytes; 0 when there is no such request.</summary>
    public int Length { get; private set; }

    /// <summary>How many bytes more there is memory for.</summary>
    public int FreeBytes => _array.Length - Length;

    /// <summary>How many bytes there is memory for.</summary>
    public int MemoryBytes => _array.Length;

    public ReadOnlySpan<byte> Span => _array.AsSpan(0, Length);

    public override Span<byte> Room => _array.AsSpan(Length, _fillEnd - Length);

    /// <summary>Whether so much is missing, and there is memory for it, that it is to be received here.</summary>
    /// <param name="expectedLength">
    /// How long the request will be at least; its last byte is not received here, for it is the one that is acted upon.
    /// </param>
    public bool TryBeginFill(int expectedLength)
    {
        _fillEnd = Math.Min(_array.Length, expectedLength - 1);
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
        if (_array.Length - Length < bytes.Length)
            Grow(Length + bytes.Length, expectedLength);
        bytes.CopyTo(_array.AsSpan(Length));
        Length += bytes.Length;
    }

    /// <summary>Takes bytes out of the middle; those behind them move up.</summary>
    public void Cut(int start, int count)
    {
        _array.AsSpan(start + count, Length - start - count).CopyTo(_array.AsSpan(start));
        Length -= count;
    }

    /// <summary>Forgets the bytes and gives the memory back.</summary>
    public void Clear()
    {
        Length = 0;
        GiveBack();
        _array = [];
    }

    private void Grow(int length, int expectedLength)
    {
        Debug.Assert(length > _array.Length);
        long wanted = Math.Max(Math.Min(length * (long)GrowthFactor, expectedLength), BytesMin);
        int size = (int)Math.Min(Math.Max(length, wanted), Array.MaxLength);
        byte[] larger = size <= PooledBytesMax
            ? ArrayPool<byte>.Shared.Rent(size)
            : GC.AllocateUninitializedArray<byte>(size);
        Span.CopyTo(larger);
        GiveBack();
        _array = larger;
    }

    private void GiveBack()
    {
        if (_array.Length is > 0 and <= PooledBytesMax)
            ArrayPool<byte>.Shared.Return(_array);
    }
}
