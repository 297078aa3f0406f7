using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes the elements of a list as text.</summary>
internal struct ElementListSink() : IElementSink
{
    /// <summary>What was announced; −1: nothing.</summary>
    public long Count { get; private set; } = -1;

    public List<string> Elements { get; } = [];

    public readonly bool IsFull => false;

    public void Begin(long count) => Count = count;

    public readonly void Take(scoped ReadOnlySpan<byte> element) => Elements.Add(Encoding.Latin1.GetString(element));
}
