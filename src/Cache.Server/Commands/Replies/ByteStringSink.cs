using Cache.Core;

namespace Cache.Server.Commands.Replies;

/// <summary>Takes values and keys into a list.</summary>
internal readonly struct ByteStringSink(ByteStringList list) : IValueBatchSink
{
    // What does not fit into the reply need not be copied to be thrown away, however many times it was asked for.
    public bool IsFull => list.IsTooLong;

    public Span<byte> GetSpan(int length) => list.GetSpan(length);

    public void Advance(int length) => list.Advance(length);

    public void Miss() => list.AddAbsent();

    public void Restart() => list.Clear();
}
