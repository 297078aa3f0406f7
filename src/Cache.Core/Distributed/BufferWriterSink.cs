using System.Buffers;

namespace Cache.Core.Distributed;

/// <summary>Copies a value into a caller's buffer writer.</summary>
internal readonly struct BufferWriterSink(IBufferWriter<byte> writer) : IValueSink
{
    public Span<byte> GetSpan(int length) => writer.GetSpan(length);

    public void Advance(int length) => writer.Advance(length);
}
