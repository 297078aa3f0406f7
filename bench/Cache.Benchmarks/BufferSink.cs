using Cache.Core;

namespace Cache.Benchmarks;

/// <summary>Takes a value into an array that the benchmark made ahead.</summary>
internal struct BufferSink(byte[] buffer) : IValueSink
{
    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => buffer;

    public void Advance(int length) => Length = length;
}
