using Cache.Core;

namespace Cache.Testing;

/// <summary>A transaction of some keys of each of some keyspaces, whose body is a lambda.</summary>
internal readonly struct KeyedTransaction(
    byte[][] keys, int keyspaces, int writeCount, Action<CacheStore> body, long writtenBytes)
    : ITransaction
{
    [ThreadStatic]
    private static bool _isRunning;

    /// <summary>Whether this thread runs one: a journal may then get fewer records than it reserved for.</summary>
    public static bool IsRunning => _isRunning;

    public int KeyCount => keys.Length * keyspaces;

    public int WriteCount => writeCount;

    public long WrittenBytes => writtenBytes;

    public ReadOnlySpan<byte> GetKey(int index) => keys[index % keys.Length];

    public int GetKeyspace(int index) => index / keys.Length;

    public void Run(CacheStore store) => body(store);

    public static void Run(
        CacheStore store, byte[][] keys, int keyspaces, int writeCount, Action<CacheStore> body,
        long writtenBytes = 1_000_000)
    {
        var transaction = new KeyedTransaction(keys, keyspaces, writeCount, body, writtenBytes);
        _isRunning = true;
        try
        {
            store.Transact(ref transaction);
        }
        finally
        {
            _isRunning = false;
        }
    }
}
