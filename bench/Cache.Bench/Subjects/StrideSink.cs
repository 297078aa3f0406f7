using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>Takes several values, each at its own place.</summary>
internal ref struct StrideSink(Span<byte> destination, int stride) : IValueBatchSink
{
    private readonly Span<byte> _destination = destination;
    private int _taken;

    public int Misses { get; private set; }

    public readonly bool IsFull => false;

    public readonly Span<byte> GetSpan(int length) => _destination.Slice(_taken * stride, stride);

    public void Advance(int length) => _taken++;

    public void Miss()
    {
        _taken++;
        Misses++;
    }

    public void Restart() => _taken = Misses = 0;
}

/// <summary>The same of values that are read each on its own.</summary>
internal ref struct IndexedSink(Span<byte> destination, int stride) : IIndexedValueSink
{
    private readonly Span<byte> _destination = destination;
    private int _index;

    public void Begin(int index) => _index = index;

    public readonly Span<byte> GetSpan(int length) => _destination.Slice(_index * stride, stride);

    public readonly void Advance(int length)
    {
    }
}
