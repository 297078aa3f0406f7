using Cache.Core;

namespace Cache.Server.Commands.Replies;

/// <summary>Adds values and keys to a list.</summary>
internal readonly struct ByteStringSink(ByteStringList list) : IValueBatchSink
{
    // A value that does not fit into the reply is not copied, however many times it was asked for.
    public bool IsFull => list.IsTooLong;

    public Span<byte> GetSpan(int length) => list.GetSpan(length);

    public void Advance(int length) => list.Advance(length);

    public void Miss() => list.AddAbsent();

    public void Restart() => list.Clear();
}
