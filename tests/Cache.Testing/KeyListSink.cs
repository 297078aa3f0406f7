using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes the keys of a scan as strings, a char for each byte.</summary>
internal readonly struct KeyListSink() : IKeySink
{
    public List<string> Keys { get; } = [];

    public bool IsFull => false;

    public void Take(ReadOnlySpan<byte> key) => Keys.Add(Encoding.Latin1.GetString(key));
}
