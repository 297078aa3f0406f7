using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Reads several keys, each on its own, with the memory of some fetched ahead.</summary>
/// <remarks>
/// A read waits for its bucket and then for its record, and a processor overlaps little of one read with the next. Here
/// the buckets of a batch are under way at the same time, then its records.
/// </remarks>
internal static class EachKeyReader
{
    // As many lines as a core keeps under way.
    private const int BatchSize = 16;

    /// <returns>How many were found.</returns>
    public static int Read<TKeys, TSink>(StoreState state, byte keyspace, ref TKeys keys, ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IIndexedValueSink, allows ref struct
    {
        Span<ulong> hashes = stackalloc ulong[BatchSize];
        int found = 0;
        int count = keys.Count;
        for (int start = 0; start < count; start += BatchSize)
        {
            var batch = hashes[..Math.Min(BatchSize, count - start)];
            Prefetch(state, keyspace, ref keys, start, batch);
            for (int i = 0; i < batch.Length; i++)
            {
                sink.Begin(start + i);
                var status = state.ShardOf(batch[i]).Read(keys.GetKey(start + i), batch[i], keyspace, ref sink);
                found += status == ReadStatus.Found ? 1 : 0;
            }
        }

        return found;
    }

    private static void Prefetch<TKeys>(
        StoreState state, byte keyspace, ref TKeys keys, int start, scoped Span<ulong> hashes)
        where TKeys : struct, IKeySource, allows ref struct
    {
        for (int i = 0; i < hashes.Length; i++)
        {
            hashes[i] = state.HashOf(keys.GetKey(start + i), keyspace);
            state.ShardOf(hashes[i]).PrefetchBucket(hashes[i]);
        }

        foreach (ulong hash in hashes)
            state.ShardOf(hash).PrefetchRecord(hash);
    }
}

/// <summary>Keys that lie in the caller's memory.</summary>
internal readonly ref struct MemoryKeys(ReadOnlySpan<ReadOnlyMemory<byte>> keys) : IKeySource
{
    private readonly ReadOnlySpan<ReadOnlyMemory<byte>> _keys = keys;

    public int Count => _keys.Length;

    public ReadOnlySpan<byte> GetKey(int index) => _keys[index].Span;
}

/// <summary>Makes an array of each value.</summary>
internal ref struct ArraysSink(Span<byte[]?> values) : IIndexedValueSink
{
    private readonly Span<byte[]?> _values = values;
    private ArraySink _sink;
    private int _index;

    public void Begin(int index)
    {
        _index = index;
        _values[index] = null;
    }

    public Span<byte> GetSpan(int length) => _sink.GetSpan(length);

    public void Advance(int length)
    {
        _sink.Advance(length);
        _values[_index] = _sink.Array;
    }
}
