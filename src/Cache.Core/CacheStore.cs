using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Collections;
using Cache.Core.Hashing;
using Cache.Core.Sharding;
using Cache.Core.Validation;

namespace Cache.Core;

/// <summary>A store of entries, each a key and a value of bytes, with a byte limit, expiry and eviction.</summary>
/// <remarks>
/// All members are thread-safe, and each operation is atomic. Keys and values are copied in; values are copied out
/// through a sink. Keys have 0 to <see cref="KeyLengthMax"/> bytes; a longer one is never in a store: reads miss and
/// writes return <see cref="WriteStatus.KeyTooLong"/>. A store may have several keyspaces (Redis: databases), views
/// created by <see cref="SelectKeyspace"/>, which share its memory and its limit.
///
/// Once the store is disposed, its members and those of its views throw <see cref="ObjectDisposedException"/>, except
/// for <see cref="GetStatistics"/> and the values that the store was created with. Calls that are under way then end as
/// if they had come before, or throw it.
/// <example><code>
/// using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 512 &lt;&lt; 20 });
/// store.Set("greeting"u8, "hello"u8, new EntryOptions { ExpiresAtMs = store.NowMs + 60_000 });
/// byte[]? greeting = store.GetArray("greeting"u8);
/// </code></example>
/// </remarks>
public sealed partial class CacheStore : IDisposable
{
    /// <summary>The longest key in bytes: lengths of keys are 16 bits wide in the store.</summary>
    public const int KeyLengthMax = EntryKey.LengthMax;

    /// <summary>The longest value in bytes: 512 MB, as in Redis.</summary>
    public const int ValueLengthMax = CacheOptions.LongestValue;

    // The most buckets that one call of a scan visits, about 1 ms: a keyspace with few keys may be among another's
    // millions.
    private const int ScanBucketsMax = 1 << 12;

    private readonly StoreState _state;
    private readonly byte _keyspace;
    private readonly CacheStore[] _keyspaces;
    private readonly RefusedWrites _refusedWrites;
    private readonly bool _isView;

    /// <summary>Creates a store on the machine's clock.</summary>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public CacheStore(CacheOptions options)
        : this(options, TimeProvider.System)
    {
    }

    /// <summary>Creates a store on the given clock.</summary>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public CacheStore(CacheOptions options, TimeProvider timeProvider)
        : this(options, timeProvider, KeyedHash.CreateRandom())
    {
    }

    // With a hash whose secret a test knows, so that it is repeatable.
    internal CacheStore(CacheOptions options, TimeProvider timeProvider, KeyedHash hash)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(timeProvider);
        options.ThrowIfInvalid();
        TimeProvider = timeProvider;
        _state = new StoreState(options, timeProvider, hash);
        FieldSweep.Attach(_state);
        _refusedWrites = new RefusedWrites();
        _keyspaces = new CacheStore[options.KeyspaceCount];
        for (byte i = 0; i < _keyspaces.Length; i++)
            _keyspaces[i] = new CacheStore(this, i);
    }

    private CacheStore(CacheStore root, byte keyspace)
    {
        TimeProvider = root.TimeProvider;
        _state = root._state;
        _keyspaces = root._keyspaces;
        _refusedWrites = root._refusedWrites;
        _keyspace = keyspace;
        _isView = true;
    }

    /// <summary>The clock that the store was created with.</summary>
    public TimeProvider TimeProvider { get; }

    /// <summary>
    /// The store's time, by which entries expire: Unix milliseconds at its start, monotonic from then on.
    /// </summary>
    public long NowMs => _state.Clock.ReadMs();

    /// <summary>The wall clock in Unix milliseconds, by which fields of hashes expire.</summary>
    public long NowUnixMs => _state.Clock.Read().UnixMs;

    /// <summary>The number of keyspaces.</summary>
    public int KeyspaceCount => _keyspaces.Length;

    /// <summary>The keyspace of this view; 0 for the store itself.</summary>
    public int Keyspace => _keyspace;

    /// <summary>Whether the store was disposed, perhaps by the owner of another view.</summary>
    public bool IsDisposed => _state.IsDisposed;

    /// <summary>The single object of this keyspace, the same for all callers.</summary>
    internal CacheStore Canonical => _keyspaces[_keyspace];

    /// <summary>The longest value that this store accepts, in bytes; at most <see cref="ValueLengthMax"/>.</summary>
    public int ValueLengthLimit => _state.ValueLengthMax;

    /// <summary>The bytes of records that were copied to make room, since the store was created.</summary>
    internal long CopiedBytes => _state.Reclaimer.CopiedBytes;

    /// <summary>The entries in the index, including cleared ones that were not freed yet.</summary>
    internal long IndexedCount => _state.EntryCount;

    /// <summary>Entries in this keyspace, including expired ones that were not removed yet.</summary>
    public long Count
    {
        get
        {
            ThrowIfDisposed();
            long count = 0;
            foreach (var shard in _state.Shards)
                count += shard.CountOf(_keyspace);
            return count;
        }
    }

    /// <summary>Of these, the entries that have an expiry.</summary>
    public long ExpiringCount
    {
        get
        {
            ThrowIfDisposed();
            long count = 0;
            foreach (var shard in _state.Shards)
                count += shard.ExpiringCountOf(_keyspace);
            return count;
        }
    }

    /// <summary>
    /// The most bytes of all keyspaces together. A lower limit evicts at once, if the policy allows.
    /// </summary>
    /// <exception cref="ArgumentException">The limit is out of range.</exception>
    public long MemoryLimitBytes
    {
        get => _state.LimitBytes;
        set
        {
            ThrowIfDisposed();
            ThrowIfTransaction("change the limit");
            if (CacheOptions.FindMemoryLimitProblem(value) is { } problem)
                throw new ArgumentException(problem, nameof(value));
            _state.ChangeLimit(value);
        }
    }

    /// <summary>Which entries may be evicted from now on.</summary>
    /// <exception cref="ArgumentException">There is no such policy.</exception>
    public EvictionPolicy Eviction
    {
        get => _state.Budget.Eviction;
        set
        {
            ThrowIfDisposed();
            if (CacheOptions.FindEvictionProblem(value) is { } problem)
                throw new ArgumentException(problem, nameof(value));
            _state.Budget.Eviction = value;
        }
    }

    /// <summary>Which values are compressed from now on; what is stored already follows when it is moved.</summary>
    /// <exception cref="ArgumentException">There is no such mode.</exception>
    public ValueCompression Compression
    {
        get => _state.Packer.Mode;
        set
        {
            ThrowIfDisposed();
            if (CacheOptions.FindCompressionProblem(value) is { } problem)
                throw new ArgumentException(problem, nameof(value));
            _state.Packer.Mode = value;
        }
    }

    /// <summary>A view of a keyspace of the same store; disposing it does not affect the store.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such keyspace.</exception>
    public CacheStore SelectKeyspace(int index)
    {
        ThrowIfDisposed();
        if ((uint)index >= (uint)_keyspaces.Length)
        {
            throw new ArgumentOutOfRangeException(
                nameof(index), index, $"A keyspace is between 0 and {_keyspaces.Length - 1}.");
        }

        if (_transaction is null)
            return _keyspaces[index];
        return index == _keyspace ? this : new CacheStore(_keyspaces[index], _transaction);
    }

    /// <summary>Removes all entries of this keyspace, atomically and within some microseconds.</summary>
    /// <remarks>Their memory is given back a little later: by the sweep, or by writes that need it.</remarks>
    public void Clear()
    {
        while (!TryClear())
            FreeCleared();
    }

    /// <summary>Removes all entries of all keyspaces atomically, as <see cref="Clear"/> does.</summary>
    public void ClearAll()
    {
        while (!TryClearAll())
            FreeCleared();
    }

    /// <summary>As <see cref="Clear"/>, unless the memory of several earlier ones was not freed yet.</summary>
    /// <returns>False in that case: nothing was done, and <see cref="Clear"/> would free that memory first.</returns>
    public bool TryClear()
    {
        ThrowIfDisposed();
        return TryClear(1U << _keyspace);
    }

    /// <summary>As <see cref="ClearAll"/>, unless the memory of several earlier ones was not freed yet.</summary>
    /// <returns>
    /// False in that case: nothing was done, and <see cref="ClearAll"/> would free that memory first.
    /// </returns>
    public bool TryClearAll()
    {
        ThrowIfDisposed();
        return TryClear(uint.MaxValue >> (32 - _keyspaces.Length));
    }

    /// <summary>Passes some keys of this keyspace to the sink, and returns the next cursor.</summary>
    /// <remarks>
    /// A key that is in the store from the first call to the last is returned at least once, whatever else is written,
    /// removed or evicted in between; a key that is added or removed meanwhile may be returned or not; a key may be
    /// returned twice.
    /// </remarks>
    /// <param name="cursor">0 at first, then the result of the last call.</param>
    /// <param name="count">The approximate number of keys, at least 1; fewer, or none, if they are sparse.</param>
    /// <param name="sink">Receives the keys.</param>
    /// <returns>The cursor for the next call; 0 when the scan is complete. Below 2^53.</returns>
    public ulong Scan<TSink>(ulong cursor, int count, ref TSink sink)
        where TSink : struct, IKeySink, allows ref struct =>
        Scan(cursor, count, EntryKind.None, ref sink);

    /// <summary>As <see cref="Scan{TSink}(ulong, int, ref TSink)"/>, for keys whose entries are of one kind.</summary>
    /// <param name="cursor">0 at first, then the result of the last call.</param>
    /// <param name="count">The approximate number of keys to visit, of any kind; at least 1.</param>
    /// <param name="kind">The kind of the returned keys; <see cref="EntryKind.None"/>: all.</param>
    /// <param name="sink">Receives the keys.</param>
    /// <returns>The cursor for the next call; 0 when the scan is complete.</returns>
    public ulong Scan<TSink>(ulong cursor, int count, EntryKind kind, ref TSink sink)
        where TSink : struct, IKeySink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        ThrowIfDisposed();
        ThrowIfTransaction("scan");
        if (ScanCursor.IsBehindAll(cursor))
            return 0;
        var position = ScanCursor.Of(cursor);
        int taken = 0;
        for (int visited = 1; ; visited++)
        {
            var shard = _state.ShardAt(position.Position);
            // A keyspace without keys may have the many pages of other keyspaces' entries.
            if (shard.CountOf(_keyspace) == 0 || !shard.ScanNext(_keyspace, kind, ref position, ref sink, ref taken))
            {
                if (shard.Index + 1 == _state.Shards.Length)
                    return 0;
                position = _state.Shards[shard.Index + 1].ScanStart;
            }

            if (taken >= count || visited >= ScanBucketsMax || sink.IsFull)
                return position.Word;
        }
    }

    /// <summary>Copies a random key of this keyspace into the sink.</summary>
    /// <returns>False if the keyspace is empty.</returns>
    public bool TryGetRandomKey<TSink>(ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        ThrowIfDisposed();
        ThrowIfTransaction("take a random key");
        int start = Random.Shared.Next(_state.Shards.Length);
        for (int i = 0; i < _state.Shards.Length; i++)
        {
            if (_state.Shards[(start + i) & (_state.Shards.Length - 1)].TryGetRandomKey(_keyspace, ref sink))
                return true;
        }

        return false;
    }

    /// <summary>A snapshot of the counters, over all keyspaces; for a disposed store, the last ones.</summary>
    public CacheStatistics GetStatistics()
    {
        var sum = new CacheStatistics
        {
            MemoryBytes = _state.Budget.UsedBytes,
            MemoryPeakBytes = _state.Budget.PeakBytes,
            MemoryLimitBytes = _state.LimitBytes,
            Hits = _state.Counters.Hits,
            Misses = _state.Counters.Misses,
            CompressedCount = _state.Log.Packed.Count,
            CompressedValueBytes = _state.Log.Packed.ValueBytes,
            CompressedBytes = _state.Log.Packed.PackedBytes,
            CompressionTries = _state.Packer.Tries,
            RefusedWrites = _refusedWrites.Count,
            LastRefusedWriteMs = _refusedWrites.LastMs,
        };
        foreach (var shard in _state.Shards)
        {
            var part = shard.GetStatistics();
            sum = sum with
            {
                Count = sum.Count + part.Count,
                ExpiringCount = sum.ExpiringCount + part.ExpiringCount,
                Evictions = sum.Evictions + part.Evictions,
                Expirations = sum.Expirations + part.Expirations,
            };
        }

        return sum;
    }

    /// <summary>
    /// What stores with a quarter to four times of the limit would answer of the reads of the last minutes; null if
    /// <see cref="CacheOptions.EstimatesHitRatios"/> is off. Of all keyspaces.
    /// </summary>
    public HitRatioCurve? GetHitRatioCurve()
    {
        ThrowIfDisposed();
        _state.TryUpdateCurve();
        return _state.Curve?.Read();
    }

    /// <summary>
    /// Sets the counters of hits, misses, evictions, expirations and refused writes to 0, and the peak to the present
    /// use.
    /// </summary>
    public void ResetStatistics()
    {
        ThrowIfDisposed();
        _state.Budget.ResetPeak();
        _state.Counters.Reset();
        _refusedWrites.Reset();
        foreach (var shard in _state.Shards)
            shard.ResetStatistics();
    }

    /// <summary>Ends the store and gives its memory back; does nothing on a view.</summary>
    /// <remarks>
    /// May be called at any time, on any thread and any number of times. Calls that are under way on other threads are
    /// waited for, or end with <see cref="ObjectDisposedException"/>. A <see cref="LentValue"/> keeps its bytes.
    /// </remarks>
    public void Dispose()
    {
        if (!_isView)
            _state.Dispose();
    }

    /// <exception cref="ObjectDisposedException">The store was disposed.</exception>
    internal void ThrowIfDisposed() => _state.ThrowIfDisposed();

    /// <summary>
    /// Throws unless the store is consistent. No thread may write meanwhile; only debug builds check.
    /// </summary>
    [Conditional("DEBUG")]
    internal void AssertValid() => Validate();

    /// <summary>As <see cref="AssertValid"/>, in every build.</summary>
    internal void Validate() => StoreValidator.Validate(_state);

    private EntryKey KeyOf(ReadOnlySpan<byte> key) => KeyOf(key, _state.HashOf(key, _keyspace));

    private EntryKey KeyOf(ReadOnlySpan<byte> key, ulong hash) =>
        new(key, _keyspace, hash, _transaction?.LocksOf(hash));

    private bool TryClear(uint keyspaces) => _transaction?.TryClear(keyspaces) ?? _state.TryClear(keyspaces);

    private void FreeCleared()
    {
        ThrowIfTransaction("free what earlier clears have left");
        _state.Cleared.TryStep(ClearedEntries.PagesPerStep);
    }

    private Shard ShardOf(in EntryKey key) => _state.ShardOf(key.Hash);

    // A branch that is never taken while there is room; the rest is in another method.
    internal WriteStatus Counted(WriteStatus status)
    {
        if (status == WriteStatus.OutOfMemory)
            CountRefusedSlow();
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Kept out of the writes' code.
    private void CountRefusedSlow()
    {
        ThrowIfDisposed(); // A disposed store has no room.
        _refusedWrites.Note(NowMs);
    }
}
