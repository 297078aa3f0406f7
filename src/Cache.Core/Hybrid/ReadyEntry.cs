namespace Cache.Core.Hybrid;

/// <summary>An object made from a value in the store, and the stamp that proves it is still current.</summary>
internal sealed class ReadyEntry(string key, int keyHash, Type type, object value, EntryStamp stamp)
{
    // A hint that any thread may write; a lost write costs one look-up.
    private bool _isUsed = true;

    public string Key { get; } = key;

    public int KeyHash { get; } = keyHash;

    /// <summary>The requested type: another caller may read the same bytes as another type.</summary>
    public Type Type { get; } = type;

    public object Value { get; } = value;

    public EntryStamp Stamp { get; } = stamp;

    /// <summary>Until when the object may be served without reading the entry; 0: for ever.</summary>
    public long UntilMs { get; init; }

    /// <summary>The generation of the invalidations at which the value was known to be valid.</summary>
    public long ValidAtGeneration { get; init; }

    /// <summary>Whether it was used since the last search for a place.</summary>
    public bool IsUsed
    {
        get => Volatile.Read(ref _isUsed);
        set => Volatile.Write(ref _isUsed, value);
    }
}
