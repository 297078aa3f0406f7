using System.Buffers;
using Cache.Core;

namespace Cache.Near.Entries;

/// <summary>Copies a value into a caller's buffer writer.</summary>
internal readonly struct WriterSink(IBufferWriter<byte> writer) : IValueSink
{
    public Span<byte> GetSpan(int length) => writer.GetSpan(length);

    public void Advance(int length) => writer.Advance(length);
}
