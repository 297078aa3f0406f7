using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes the fields of a hash as text.</summary>
internal struct FieldListSink() : IFieldSink
{
    /// <summary>What was announced; −1: nothing.</summary>
    public long Count { get; private set; } = -1;

    public List<(string Field, string Value)> Fields { get; } = [];

    /// <summary>How many it takes.</summary>
    public int CountMax { get; init; } = int.MaxValue;

    public readonly bool IsFull => Fields.Count >= CountMax;

    public void Begin(long count) => Count = count;

    public readonly void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value) =>
        Fields.Add((Encoding.Latin1.GetString(field), Encoding.Latin1.GetString(value)));
}
