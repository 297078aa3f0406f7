namespace Cache.Durability.Rdb;

/// <summary>Divides the entries of a stream into nodes, as Redis's defaults do about.</summary>
internal struct RdbStreamNodes
{
    private const int EntriesMax = 100;
    private const long BytesMax = 4096;

    private int _entries;
    private long _bytes;

    /// <summary>The number of nodes so far.</summary>
    public long Count { get; private set; }

    /// <summary>Whether the next entry begins a node.</summary>
    public bool BeginsNode(RdbElements names, RdbElements values) => BeginsNode(SizeOf(names) + SizeOf(values));

    /// <summary>The same for an entry whose names and values have so many bytes.</summary>
    public bool BeginsNode(long bytes)
    {
        bool begins = _entries is 0 or EntriesMax || _bytes > BytesMax;
        if (begins)
            (_entries, _bytes, Count) = (0, 0, Count + 1);
        _entries++;
        _bytes += bytes;
        return begins;
    }

    private static long SizeOf(RdbElements texts)
    {
        long bytes = 0;
        for (int i = 0; i < texts.Count; i++)
            bytes += texts[i].Length;
        return bytes;
    }
}
