using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>Takes a value into the caller's span, which must be long enough.</summary>
internal ref struct SpanSink(Span<byte> destination) : IValueSink
{
    private readonly Span<byte> _destination = destination;

    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => _destination;

    public void Advance(int length) => Length = length;
}
