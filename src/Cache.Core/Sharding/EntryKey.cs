namespace Cache.Core.Sharding;

/// <summary>A key as the shards see it: its bytes, its keyspace, and their common hash.</summary>
internal readonly ref struct EntryKey(
    ReadOnlySpan<byte> bytes, byte keyspace, ulong hash, KeyLocks? locks = null)
{
    /// <summary>The longest key: lengths of keys are 16 bits wide in the store.</summary>
    public const int LengthMax = ushort.MaxValue;

    public readonly ReadOnlySpan<byte> Bytes = bytes;
    public readonly byte Keyspace = keyspace;
    public readonly ulong Hash = hash;

    /// <summary>The locks of the calling thread's transaction, if the key is one of its keys; else null.</summary>
    public readonly KeyLocks? Locks = locks;
}
