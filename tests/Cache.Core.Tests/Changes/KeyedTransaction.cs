namespace Cache.Core.Tests.Changes;

/// <summary>A transaction of some keys of each of some keyspaces, whose body is a lambda.</summary>
internal readonly struct KeyedTransaction(byte[][] keys, int keyspaces, int writeCount, Action<CacheStore> body)
    : ITransaction
{
    public int KeyCount => keys.Length * keyspaces;

    public int WriteCount => writeCount;

    public long WrittenBytes => 1_000_000;

    public ReadOnlySpan<byte> GetKey(int index) => keys[index % keys.Length];

    public int GetKeyspace(int index) => index / keys.Length;

    public void Run(CacheStore store) => body(store);

    /// <summary>Runs it; the journal may get fewer records than it reserved for.</summary>
    public static void Run(CacheStore store, byte[][] keys, int keyspaces, int writeCount, Action<CacheStore> body)
    {
        var transaction = new KeyedTransaction(keys, keyspaces, writeCount, body);
        RecordingJournal.MayHaveFewer = true;
        try
        {
            store.Transact(ref transaction);
        }
        finally
        {
            RecordingJournal.MayHaveFewer = false;
        }
    }
}
