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

    /// <summary>The same bytes, for a stream that takes no span.</summary>
    public ReadOnlyMemory<byte> Memory => _lent is null ? _array.AsMemory(0, Count) : _lent.Memory;

    /// <summary>Gives the memory back.</summary>
    public void Free()
    {
        if (_array is not null)
            ArrayPool<byte>.Shared.Return(_array);
        _lent?.Dispose();
    }
}
