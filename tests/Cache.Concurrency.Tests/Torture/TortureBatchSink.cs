using Cache.Core;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>Takes several values one behind the other; absent ones count as empty.</summary>
internal ref struct TortureBatchSink(Span<byte> buffer, Span<int> lengths) : IValueBatchSink
{
    private readonly Span<byte> _buffer = buffer;
    private readonly Span<int> _lengths = lengths;
    private int _bytes;

    public int Count { get; private set; }

    public readonly bool IsFull => false;

    public readonly ReadOnlySpan<byte> this[int index]
    {
        get
        {
            int start = 0;
            foreach (int length in _lengths[..index])
                start += length;
            return _buffer.Slice(start, _lengths[index]);
        }
    }

    public readonly Span<byte> GetSpan(int length)
    {
        if (length < TortureValue.LengthMin || length > _buffer.Length - _bytes)
            throw new InvalidDataException($"The store asks for {length} bytes, a length that nobody wrote.");
        return _buffer.Slice(_bytes, length);
    }

    public void Advance(int length)
    {
        _lengths[Count++] = length;
        _bytes += length;
    }

    public void Miss() => _lengths[Count++] = 0;

    public void Restart() => Count = _bytes = 0;
}
