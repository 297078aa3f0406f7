using System.Buffers;
using System.Diagnostics;
using Cache.Core;
using Cache.Protocol;

namespace Cache.Near.Entries;

/// <summary>The local entries: values, and the knowledge that a key is absent.</summary>
/// <remarks>
/// Two keyspaces of one store: a hit reads a plain value, and has no mark to look at. Thread-safe, as the store is.
/// Whether what is found counts is not known here.
/// </remarks>
internal sealed class NearEntries : ILocalEntries, IDisposable
{
    private readonly CacheStore _values;
    private readonly CacheStore _absent;

    public NearEntries(long memoryLimitBytes)
    {
        _values = new CacheStore(new CacheOptions { MemoryLimitBytes = memoryLimitBytes, KeyspaceCount = 2 });
        _absent = _values.SelectKeyspace(1);
    }

    public long Count => _values.Count + _absent.Count;

    public CacheStatistics Statistics => _values.GetStatistics();

    public byte[]? Get(ReadOnlySpan<byte> key) => _values.GetArray(key);

    public bool TryGet(ReadOnlySpan<byte> key, IBufferWriter<byte> destination)
    {
        var sink = new WriterSink(destination);
        return _values.TryGet(key, ref sink);
    }

    public bool IsAbsent(ReadOnlySpan<byte> key) => _absent.Count > 0 && _absent.Contains(key);

    /// <summary>Keeps a value; null: that there is none.</summary>
    /// <remarks>Without room nothing is kept: an entry is never older than the one that it replaces.</remarks>
    public void Keep(ReadOnlySpan<byte> key, byte[]? value, long lifeMs)
    {
        Debug.Assert(lifeMs > 0);
        var options = new EntryOptions { ExpiresAtMs = _values.NowMs + lifeMs };
        Drop(key);
        if (value is null)
            _absent.Set(key, [], options);
        else
            _values.Set(key, value, options);
    }

    /// <summary>Forgets a key.</summary>
    /// <returns>Whether something was known of it.</returns>
    public bool Drop(ReadOnlySpan<byte> key)
    {
        // Servers have longer keys, and tell of them; none is kept here.
        if (key.Length > CacheStore.KeyLengthMax)
            return false;
        bool wasKept = _values.Remove(key);
        return _absent.Count > 0 && _absent.Remove(key) || wasKept;
    }

    public void Clear() => _values.ClearAll();

    /// <summary>Forgets the keys of slots.</summary>
    /// <param name="isSwept">For each slot whether its keys go.</param>
    public void Sweep(bool[] isSwept)
    {
        Debug.Assert(isSwept.Length == KeySlot.Count);
        Sweep(_values, isSwept);
        Sweep(_absent, isSwept);
    }

    public void Dispose() => _values.Dispose();

    private static void Sweep(CacheStore store, bool[] isSwept)
    {
        const int BatchCount = 256;
        var keys = new SweptKeys(isSwept);
        ulong cursor = 0;
        do
        {
            cursor = store.Scan(cursor, BatchCount, ref keys);
            foreach (byte[] key in keys.Found)
                store.Remove(key);
            keys.Found.Clear();
        }
        while (cursor != 0);
    }
}
