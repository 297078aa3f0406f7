using Cache.Core;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>Loads the records of snapshot and journal into a store that is not in use yet.</summary>
/// <remarks>
/// Algorithm: the caller reads and checks blocks; several threads apply their records, see <see cref="LoadThreads"/>.
/// The blocks of a snapshot go to any thread, since a key has one state in it; those of a journal go to all, and each
/// key has its thread. What concerns all keys, and values in parts, which belong to the next blocks, is applied by the
/// caller: after everything before it, and before everything behind it. A load of less than a batch needs no threads.
/// If the store may refuse an entry for lack of room, the order of all records matters: the caller applies the journal
/// alone.
/// </remarks>
internal sealed class StoreLoader : IBlockTarget, IDisposable
{
    // More would wait for the memory and the thread that reads.
    private const int ThreadsMax = 4;

    private readonly CacheStore[] _keyspaces;
    private readonly LoadedExpiry _expiry;
    private readonly LoadProgress _progress;

    // What the caller applies itself.
    private readonly RecordInserter _own;
    private readonly RecordReplay _replay;

    // The threads, with more than one inserter, and the batch that is being filled.
    private readonly RecordInserter[] _inserters;
    private readonly int _batchBytes;
    private readonly bool _isOrdered;
    private LoadThreads? _threads;
    private LoadBatch? _batch;
    private BlockKind _kind;
    private long _lastWallMs;

    // From the first block on: a store in use, whose directory is new, is left alone.
    private bool _isLoading;

    /// <param name="store">The store; it may be in use if nothing will be applied.</param>
    /// <param name="progress">Receives the progress.</param>
    /// <param name="threads">The number of threads; 0: as the processors are.</param>
    /// <param name="batchBytes">The bytes of blocks that a thread takes together.</param>
    public StoreLoader(
        CacheStore store, LoadProgress? progress = null, int threads = 0, int batchBytes = BlockHeader.PayloadBytesMax)
    {
        _progress = progress ?? new LoadProgress();
        _keyspaces = [.. Enumerable.Range(0, store.KeyspaceCount).Select(store.SelectKeyspace)];
        _expiry = new LoadedExpiry(store.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds());
        _own = new RecordInserter(_keyspaces, _expiry);
        _replay = new RecordReplay(_own);
        _batchBytes = batchBytes;
        _isOrdered = store.Eviction != EvictionPolicy.AllEntries;
        int count = threads == 0 ? Math.Min(ThreadsMax, Environment.ProcessorCount) : threads;
        _inserters = new RecordInserter[count > 1 ? count : 0];
        for (int i = 0; i < _inserters.Length; i++)
            _inserters[i] = new RecordInserter(_keyspaces, _expiry);
    }

    /// <summary>The number of loaded records.</summary>
    public long Count
    {
        get
        {
            long count = _own.Count;
            foreach (var inserter in _inserters)
                count += inserter.Count;
            return count;
        }
    }

    /// <summary>
    /// Whether the last block was written at least this long before the load; false if there was none.
    /// </summary>
    public bool IsOlderThan(TimeSpan age) =>
        _lastWallMs != 0 && _expiry.StartMs - _lastWallMs > age.TotalMilliseconds;

    /// <summary>The keyspace of each database number; null: the keyspace with the same number.</summary>
    public byte[]? Databases => _own.Databases;

    public void Begin(long bytes) => _progress.TotalBytes = bytes;

    public void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        _progress.Cancellation.ThrowIfCancellationRequested();
        if (!_isLoading)
            Hold();
        _lastWallMs = Math.Max(_lastWallMs, header.WallMs);
        if (header.Kind != _kind) // The journal begins: its records are newer than all of the snapshot.
            End();
        _kind = header.Kind;
        bool isJournal = header.Kind == BlockKind.Journal;
        if (_inserters.Length == 0 || (isJournal && _isOrdered) || _replay.IsOpen || BlockScan.NeedsOrder(payload))
            ApplyAlone(file, offset, header, payload);
        else
            BatchFor(payload.Length, isJournal).Add(file, offset, header.FirstLsn, _lastWallMs, payload);
        _progress.LoadedBytes += BlockHeader.Size + payload.Length;
        _progress.Records = Count;
    }

    public void NoteGap() => _replay.NoteGap();

    /// <summary>Waits until all blocks are applied.</summary>
    /// <exception cref="RecoveryRefusedException">A record was refused: the first one of all files.</exception>
    public void End()
    {
        var batch = _batch;
        _batch = null;
        if (batch != null && _threads != null)
            _threads.Publish(batch);
        else if (batch != null)
            ApplyAlone(batch);
        _threads?.Drain();
        _progress.Records = Count;
    }

    /// <summary>Lets entries expire, after the last record.</summary>
    public void Complete()
    {
        End();
        _expiry.End(_keyspaces, _lastWallMs);
        Release();
    }

    /// <summary>Ends the threads; blocks that were not applied are not.</summary>
    public void Dispose()
    {
        _threads?.Dispose();
        Release();
    }

    private void Hold()
    {
        _isLoading = true;
        _keyspaces[0].HoldFields(); // A later record may give an expired one another moment.
        _keyspaces[0].BeginLoad();
    }

    private void Release()
    {
        if (!_isLoading)
            return;
        _isLoading = false;
        _keyspaces[0].ReleaseFields(0);
        _keyspaces[0].EndLoad();
    }

    // Within a snapshot only parts depend on other blocks.
    private void ApplyAlone(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        if (header.Kind == BlockKind.Journal)
            End();
        _own.LastWallMs = _lastWallMs;
        _replay.Apply(file, offset, header.FirstLsn, payload);
    }

    private void ApplyAlone(LoadBatch batch)
    {
        foreach (var block in batch.Blocks)
            _own.Apply(batch, block, _replay);
    }

    // The first batch is applied here: if it was full, the load is worth its threads.
    private LoadBatch BatchFor(int length, bool isForAll)
    {
        if (_batch is { } full && !full.HasRoom(length))
        {
            _batch = null;
            if (_threads != null)
                _threads.Publish(full);
            else
                ApplyAlone(full);
            _threads ??= new LoadThreads(_inserters, _batchBytes);
        }

        _batch ??= _threads?.Take() ?? new LoadBatch(_batchBytes);
        _batch.IsForAll = isForAll;
        return _batch;
    }
}
