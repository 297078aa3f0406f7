namespace Cache.Server.Statistics;

/// <summary>Of many keys those that take most memory. Not thread-safe.</summary>
internal sealed class LargestKeys
{
    /// <summary>How many are kept: more than a list of large keys shows.</summary>
    public const int CountMax = 64;

    /// <summary>The bytes of a key that are kept; of a longer one its beginning is shown.</summary>
    public const int KeyLengthMax = 512;

    private readonly LargeKey[] _keys = new LargeKey[CountMax];
    private readonly ulong[] _hashes = new ulong[CountMax];
    private int _count;
    private int _least;

    /// <summary>Forgets all.</summary>
    public void Clear() => _count = 0;

    /// <summary>Takes a key, if it belongs to the largest; a key that comes again counts once.</summary>
    public void Add(ReadOnlySpan<byte> key, int database, long memoryBytes, long length)
    {
        if (_count == CountMax && memoryBytes <= _keys[_least].MemoryBytes)
            return;
        var start = key[..Math.Min(key.Length, KeyLengthMax)];
        ulong hash = SampleHash.Of(key, database);
        int index = _hashes.AsSpan(0, _count).IndexOf(hash);
        if (index < 0)
            index = _count < CountMax ? _count++ : _least;
        _hashes[index] = hash;
        _keys[index] = new LargeKey(start.ToArray(), database, memoryBytes, length);
        FindLeast();
    }

    /// <summary>The keys, the largest first.</summary>
    public LargeKey[] ToArray()
    {
        var keys = _keys[.._count];
        Array.Sort(keys, static (one, other) => other.MemoryBytes.CompareTo(one.MemoryBytes));
        return keys;
    }

    private void FindLeast()
    {
        _least = 0;
        for (int i = 1; i < _count; i++)
        {
            if (_keys[i].MemoryBytes < _keys[_least].MemoryBytes)
                _least = i;
        }
    }
}
