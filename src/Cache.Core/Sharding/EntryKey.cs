namespace Cache.Core.Sharding;

/// <summary>A key as the shards see it: its bytes, its keyspace, and their common hash.</summary>
internal readonly ref struct EntryKey(ReadOnlySpan<byte> bytes, byte keyspace, ulong hash)
{
    public readonly ReadOnlySpan<byte> Bytes = bytes;
    public readonly byte Keyspace = keyspace;
    public readonly ulong Hash = hash;
}
