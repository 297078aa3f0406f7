using System.Buffers;

namespace Cache.Core.Hybrid;

/// <summary>A buffer writer over a pooled array that grows; disposing it gives the array back.</summary>
internal sealed class PooledWriter : IBufferWriter<byte>, IDisposable
{
    private const int StartBytes = 512;

    private byte[] _array = ArrayPool<byte>.Shared.Rent(StartBytes);
    private int _written;

    public Span<byte> Written => _array.AsSpan(0, _written);

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _array.Length - _written);
        _written += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _array.AsMemory(_written);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _array.AsSpan(_written);
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        _written = 0;
    }

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        int wanted = Math.Max(sizeHint, 1);
        if (_array.Length - _written >= wanted)
            return;
        var larger = ArrayPool<byte>.Shared.Rent(Math.Max(checked(_written + wanted), (int)Math.Min(
            Array.MaxLength, _array.Length * 2L)));
        Written.CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_array);
        _array = larger;
    }
}
