namespace Cache.Core;

/// <summary>A watched key; shared by all watchers that began before it was removed.</summary>
internal sealed class WatchedKey(ulong hash, byte keyspace)
{
    private volatile bool _isRemoved;

    public ulong Hash { get; } = hash;

    public byte Keyspace { get; } = keyspace;

    /// <summary>The number of watchers; guarded by the gate of the store's table.</summary>
    public int Watchers { get; set; }

    /// <summary>Whether the key was removed since; never reset.</summary>
    public bool IsRemoved
    {
        get => _isRemoved;
        set => _isRemoved = value;
    }
}
