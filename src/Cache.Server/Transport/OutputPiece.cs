using System.Buffers;

namespace Cache.Server.Transport;

/// <summary>Bytes to send: the beginning of a rented array, or lent bytes.</summary>
internal readonly struct OutputPiece
{
    private readonly byte[]? _array;
    private readonly LentBytes? _lent;

    public OutputPiece(byte[] array, int count)
    {
        _array = array;
        Count = count;
    }

    public OutputPiece(LentBytes lent)
    {
        _lent = lent;
        Count = lent.Span.Length;
    }

    public int Count { get; }

    /// <summary>The memory that is held for them.</summary>
    public int MemoryBytes => _array?.Length ?? Count;

    public bool IsLent => _lent is not null;

    public ReadOnlySpan<byte> Span => _lent is null ? _array.AsSpan(0, Count) : _lent.Span;

    /// <summary>A part of it as memory: in place, or copied if it is lent.</summary>
    /// <param name="start">The beginning of the part.</param>
    /// <param name="copy">Receives the copy; as long as the part at least.</param>
    /// <param name="count">The length of the part.</param>
    public ReadOnlyMemory<byte> Slice(int start, int count, byte[] copy)
    {
        if (_array is not null)
            return _array.AsMemory(start, count);
        Span.Slice(start, count).CopyTo(copy);
        return copy.AsMemory(0, count);
    }

    /// <summary>Gives the memory back.</summary>
    public void Free()
    {
        if (_array is not null)
            ArrayPool<byte>.Shared.Return(_array);
        _lent?.Dispose();
    }
}
