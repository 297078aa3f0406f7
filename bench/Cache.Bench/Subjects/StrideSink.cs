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
