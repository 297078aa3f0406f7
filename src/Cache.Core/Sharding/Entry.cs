namespace Cache.Core.Sharding;

/// <summary>One entry of a shard's table. Every field is guarded by the shard's lock.</summary>
internal sealed class Entry(byte[] key, byte keyspace, ulong hash)
{
    public readonly byte[] Key = key;
    public readonly byte Keyspace = keyspace;
    public readonly ulong Hash = hash;

    // The value is the first Length bytes; what follows is room to grow.
    public byte[] Value = [];
    public int Length;

    // Unix milliseconds; 0: none. Deadline is the next moment at which the entry expires, Absolute the last.
    public long DeadlineMs;
    public long AbsoluteMs;
    public long SlidingMs;

    public ulong Version;
    public long LastUse;
    public Entry? Next;

    // What an entry costs beside its key and value: three objects and a table slot.
    private const int OverheadBytes = 152;

    public long SizeBytes => Key.Length + Value.Length + OverheadBytes;

    public static long SizeOf(int keyLength, int valueLength) => (long)keyLength + valueLength + OverheadBytes;
}
