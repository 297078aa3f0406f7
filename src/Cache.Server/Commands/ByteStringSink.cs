using Cache.Core.Contracts;

namespace Cache.Server.Commands;

/// <summary>Takes values and keys into a list.</summary>
internal readonly struct ByteStringSink(ByteStringList list) : IValueBatchSink
{
    public Span<byte> GetSpan(int length) => list.GetSpan(length);

    public void Advance(int length) => list.Advance(length);

    public void Miss() => list.AddAbsent();

    public void Restart() => list.Clear();
}
