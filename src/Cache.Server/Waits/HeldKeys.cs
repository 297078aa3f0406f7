namespace Cache.Server.Waits;

/// <summary>The keys that a script uses while others execute commands with the rest.</summary>
/// <remarks>
/// Filled again for each script, by the thread that runs it and while nobody else can read it; not changed afterwards,
/// nor when the script ends: others may look at it still. One that is large is left to the collector then.
/// </remarks>
internal sealed class HeldKeys
{
    // More of them are looked up.
    private const int ComparedMax = 16;

    // With more memory it is not kept for the next script.
    private const int KeptBytesMax = 64 * 1024;
    private const int KeptCountMax = 1024;

    private byte[] _bytes = [];
    private (int Start, int Length)[] _keys = [];
    private int _count;
    private HashSet<byte[]>? _lookup; // Of many keys.

    /// <summary>Whether it has more memory than is kept for the next script.</summary>
    public bool IsLarge => _bytes.Length > KeptBytesMax || _keys.Length > KeptCountMax;

    /// <summary>Forgets all keys.</summary>
    public void Clear()
    {
        _count = 0;
        _lookup = null;
    }

    /// <summary>Adds a key.</summary>
    public void Add(ReadOnlySpan<byte> key)
    {
        int start = _count == 0 ? 0 : _keys[_count - 1].Start + _keys[_count - 1].Length;
        if (_bytes.Length - start < key.Length)
            Array.Resize(ref _bytes, Math.Max(2 * _bytes.Length, start + key.Length));
        if (_keys.Length == _count)
            Array.Resize(ref _keys, Math.Max(2 * _count, ComparedMax));
        key.CopyTo(_bytes.AsSpan(start));
        _keys[_count++] = (start, key.Length);
    }

    /// <summary>Called when all keys were added.</summary>
    public void End()
    {
        if (_count <= ComparedMax)
            return;
        _lookup = new HashSet<byte[]>(_count, new KeyBytesComparer());
        for (int i = 0; i < _count; i++)
            _lookup.Add(KeyAt(i).ToArray());
    }

    /// <summary>Whether a key is one of them, in whatever database.</summary>
    public bool Has(ReadOnlySpan<byte> key)
    {
        if (_lookup is not null)
            return _lookup.GetAlternateLookup<ReadOnlySpan<byte>>().Contains(key);
        for (int i = 0; i < _count; i++)
        {
            if (KeyAt(i).SequenceEqual(key))
                return true;
        }

        return false;
    }

    private ReadOnlySpan<byte> KeyAt(int index) => _bytes.AsSpan(_keys[index].Start, _keys[index].Length);
}
