using Cache.Core;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Lists;

/// <summary>Adds elements to a list of byte strings.</summary>
internal readonly struct ListElementsSink(ByteStringList elements) : IElementSink
{
    public bool IsFull => false;

    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> element) => elements.Add(element);
}
