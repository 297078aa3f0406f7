using System.Buffers;
using System.Diagnostics;

namespace Cache.Server.Connections;

/// <summary>The bytes of a request that did not lie in one stretch of the input, put together.</summary>
/// <remarks>
/// Grows to twice its size with the bytes that arrive, never by what a client declares, so that each byte is copied a
/// bounded number of times. The memory is given back with each request: an idle connection holds none.
/// </remarks>
internal sealed class StraddlingRequest
{
    // Holds a usual request, so that most never grow.
    private const int BytesMin = 1024;

    private byte[] _array = [];

    /// <summary>The number of bytes; 0 when there is no such request.</summary>
    public int Length { get; private set; }

    public ReadOnlySpan<byte> Span => _array.AsSpan(0, Length);

    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (_array.Length - Length < bytes.Length)
            Grow(Length + bytes.Length);
        bytes.CopyTo(_array.AsSpan(Length));
        Length += bytes.Length;
    }

    /// <summary>Forgets the bytes and gives the memory back.</summary>
    public void Clear()
    {
        Length = 0;
        if (_array.Length == 0)
            return;
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
    }

    private void Grow(int bytes)
    {
        Debug.Assert(bytes > _array.Length);
        long twice = Math.Min(_array.Length * 2L, Array.MaxLength);
        byte[] larger = ArrayPool<byte>.Shared.Rent(Math.Max(Math.Max(bytes, (int)twice), BytesMin));
        Span.CopyTo(larger);
        if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = larger;
    }
}
