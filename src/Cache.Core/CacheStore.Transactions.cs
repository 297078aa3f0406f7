using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>Atomic reads and writes of some keys.</summary>
public sealed partial class CacheStore
{
    // Set in the view of a transaction; null in all others.
    private readonly KeyTransaction? _transaction;

    // Views of transactions that have ended: the next ones allocate none.
    private Spares<CacheStore>? _spareViews;

    private CacheStore(CacheStore store, KeyTransaction transaction)
    {
        TimeProvider = store.TimeProvider;
        _state = store._state;
        _keyspaces = store._keyspaces;
        _refusedWrites = store._refusedWrites;
        _keyspace = store._keyspace;
        _transaction = transaction;
        _isView = true;
    }

    /// <summary>
    /// Locks some keys, and runs reads and writes of them, which other threads see as one atomic operation.
    /// </summary>
    /// <remarks>
    /// Reads and writes of these keys use the view, by the usual rules; an operation on another key, or on all keys
    /// (Scan, a random key, a new limit), throws an <see cref="InvalidOperationException"/>. Writes before a refused
    /// write, or before an exception, stay. Other threads wait for the whole transaction if they need one of the keys,
    /// or another key in its bucket, so it should take microseconds. <see cref="Clear"/> of the view throws an
    /// <see cref="InvalidOperationException"/> where other threads have cleared the keyspace so often since the
    /// transaction began that nothing is left to begin anew with; <see cref="TryClear()"/> returns false there.
    /// Called on the view of a transaction, it is a part of that one: all of its keys must be among those that are
    /// locked, and its writes count as that one's.
    /// <example><code>
    /// struct Swap : ITransaction
    /// {
    ///     public readonly int KeyCount =&gt; 2;
    ///     public readonly int WriteCount =&gt; 3;
    ///     public readonly long WrittenBytes =&gt; 64;
    ///     public readonly ReadOnlySpan&lt;byte&gt; GetKey(int index) =&gt; index == 0 ? "one"u8 : "other"u8;
    ///     public readonly int GetKeyspace(int index) =&gt; 0;
    ///     public readonly void Run(CacheStore store)
    ///     {
    ///         byte[]? one = store.GetArray("one"u8);
    ///         store.Rename("other"u8, "one"u8, SetCondition.Always);
    ///         store.Set("other"u8, one);
    ///     }
    /// }
    /// </code></example>
    /// </remarks>
    /// <param name="transaction">The keys, and the operations on them.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such keyspace.</exception>
    public void Transact<TTransaction>(ref TTransaction transaction)
        where TTransaction : struct, ITransaction, allows ref struct
    {
        ThrowIfDisposed();
        if (_transaction is not null)
        {
            transaction.Run(this);
            return;
        }

        for (int i = 0; i < transaction.KeyCount; i++)
        {
            int keyspace = transaction.GetKeyspace(i);
            ArgumentOutOfRangeException.ThrowIfNegative(keyspace);
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(keyspace, _keyspaces.Length);
        }

        var spares = _spareViews ??= new Spares<CacheStore>();
        var view = spares.Take() ?? new CacheStore(this, new KeyTransaction(_state));
        view._transaction!.Begin(ref transaction);
        try
        {
            transaction.Run(view);
        }
        finally
        {
            view._transaction.End();
        }

        spares.Keep(view);
    }

    private void ThrowIfTransaction(string action)
    {
        if (_transaction is not null)
            Throw(action);

        [DoesNotReturn]
        static void Throw(string action) =>
            throw new InvalidOperationException($"A transaction cannot {action}: it has locked its own keys alone.");
    }

    // All keys are locked, so reading one after the other is atomic.
    private void GetEach<TKeys, TSink>(ref TKeys keys, ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        for (int i = 0; i < keys.Count && !sink.IsFull; i++)
        {
            if (!TryGet(keys.GetKey(i), ref sink))
                sink.Miss();
        }
    }

    private WriteStatus SetEach<TEntries>(ref TEntries entries, SetCondition condition)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        for (int i = 0; i < entries.Count; i++)
        {
            if (entries.GetKey(i).Length > KeyLengthMax)
                return WriteStatus.KeyTooLong;
            if (entries.GetValue(i).Length > ValueLengthLimit)
                return WriteStatus.ValueTooLong;
            bool exists = TryPeekInfo(entries.GetKey(i), out _);
            if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
                return WriteStatus.ConditionNotMet;
        }

        var status = WriteStatus.Done;
        for (int i = 0; i < entries.Count && status == WriteStatus.Done; i++)
            status = Set(entries.GetKey(i), entries.GetValue(i));
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Otherwise each GET would prepare its stack for this.
    private ReadStatus ReadLocked<TSink>(ReadOnlySpan<byte> key, ulong hash, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        ReadLocked(key, hash, ref sink, Shard.NothingLent, out _);

    [MethodImpl(MethodImplOptions.NoInlining)] // The same.
    private ReadStatus ReadLocked<TSink>(
        ReadOnlySpan<byte> key, ulong hash, ref TSink sink, int lentLengthMin, out LargeBlock lent)
        where TSink : struct, IValueSink, allows ref struct
    {
        var entryKey = KeyOf(key, hash);
        return ShardOf(entryKey).Read(entryKey, ref sink, lentLengthMin, out lent);
    }
}
