using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>Sixteen neighbours of a block, as one operation on many keys.</summary>
internal readonly struct BlockBatch(KeyBlock block, int start) : IEntrySource
{
    public const int Count = 16;

    int IKeySource.Count => Count;

    public ReadOnlySpan<byte> GetKey(int index) => block.Key(start + index);

    public ReadOnlySpan<byte> GetValue(int index) => block.Value(start + index);
}
