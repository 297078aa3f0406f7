using System.Diagnostics;
using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Writes the records that threads have staged to the disk, step by step.</summary>
/// <remarks>
/// One thread calls <see cref="Write"/>, another one <see cref="Sync"/>; so the next batch is written while the last
/// one is synced. An error of either suspends the journal: the manifest says so, staged records are dropped, and
/// waiting callers get the error. No step throws an <see cref="IOException"/>, and after an error a file is never
/// written again.
/// <code>
///     Writing ──error──> Suspended ──Resume──> Resuming ──Heal, with a durable snapshot──> Writing
///       ^                    │ └──────error───────┘                        each ──Close──> Closed
///       └──────Drop──────────┘ of what counts only with a snapshot that has failed
/// </code>
/// </remarks>
internal sealed partial class Journal : IDisposable
{
    // As in Redis: if a write was not synced for this long, writers wait.
    private static readonly TimeSpan s_unsyncedMax = TimeSpan.FromSeconds(2);

    private readonly StoreCatalog _catalog;
    private readonly JournalFiles _files;
    private readonly JournalOptions _options;
    private readonly SharedRing? _ring;
    private readonly List<StagingChunk> _batch = [];
    private readonly Lock _gate = new();

    // Held during a whole write, and a whole sync; if both are needed, the first one first.
    private readonly Lock _writeTurn = new();
    private readonly Lock _syncTurn = new();
    private JournalWriter _writer;
    private ulong _resumedAfter;
    private ulong _resumedLsn;
    private volatile JournalState _state;
    private volatile bool _compressesSnapshots;

    /// <param name="catalog">The existing files; the journal adds its own.</param>
    /// <param name="files">Creates files.</param>
    /// <param name="lastSequence">The last valid block; 0 if there is none.</param>
    /// <param name="lastLsn">The place of the last valid record.</param>
    /// <param name="options">The options.</param>
    /// <param name="ring">The memory of staged records; null: it ends with the process.</param>
    public Journal(
        StoreCatalog catalog, JournalFiles files, ulong lastSequence, ulong lastLsn, JournalOptions options,
        SharedRing? ring = null)
    {
        _ring = ring;
        ring?.SetHolding(options.Sync == SyncPolicy.Always);
        _catalog = catalog;
        _files = files;
        _options = options;
        _compressesSnapshots = options.CompressesSnapshots;
        _writer = new JournalWriter(catalog, files, lastSequence, options) { IsListed = true };
        Staging = new StagingArea(options.Chunks, StagedPlace.SequenceOf(lastLsn) + 1, ring);
        Waits.Advance(StartOfNext(lastLsn));
    }

    public StagingArea Staging { get; }

    public DurableWaits Waits { get; } = new();

    /// <summary>The state. Any thread, without a lock: a moment old unless the caller has the gate.</summary>
    public JournalState State => _state;

    /// <summary>The number of suspensions.</summary>
    public long SuspensionCount => Volatile.Read(ref _suspensionCount);

    /// <summary>Called when it is suspended, or continues, on the thread that notices it.</summary>
    public Action? StateChanged { get; set; }

    /// <summary>Whether the next snapshot is compressed.</summary>
    public bool CompressesSnapshots
    {
        get => _compressesSnapshots;
        set => _compressesSnapshots = value;
    }

    /// <summary>Why it is suspended; null if it is not.</summary>
    public IOException? Failure { get; private set; }

    /// <summary>Writes and syncs chunks of the last process, before the first record.</summary>
    /// <exception cref="IOException">They cannot be written.</exception>
    public void Append(IReadOnlyList<StagingChunk> chunks)
    {
        _writer.Write(chunks);
        _writer.Sync();
    }

    /// <summary>Writes the records staged until now.</summary>
    /// <returns>Whether there were any.</returns>
    public bool Write()
    {
        lock (_writeTurn)
            return WriteCore();
    }

    /// <summary>Completes when every record before a place is durable.</summary>
    public ValueTask WaitAsync(ulong lsn) => Waits.WaitAsync(lsn);

    /// <summary>Makes the first file, filled with zeros: the first write does not wait for that.</summary>
    public void PrepareFile()
    {
        lock (_writeTurn)
        {
            try
            {
                _writer.PrepareFile();
            }
            catch (IOException)
            {
                // The first write tries again, and suspends the journal if it must.
            }
        }
    }

    /// <summary>Makes all written records durable, and completes the waits for them.</summary>
    public void Sync()
    {
        if (!SkipsSyncs)
            SyncNow();
    }

    // Also while the sync of each second is omitted.
    private void SyncNow()
    {
        lock (_syncTurn)
        {
            if (State is not (JournalState.Writing or JournalState.Resuming))
                return;
            try
            {
                _writer.Sync();
            }
            catch (IOException failure)
            {
                Suspend(failure);
                return;
            }

            if (State == JournalState.Writing)
                Waits.Advance(_writer.DurableLsn);
            HoldWritersIfUnsynced();
        }
    }

    /// <summary>Begins new files after an error; a snapshot must follow, see <see cref="Heal"/>.</summary>
    /// <remarks>
    /// If writes are refused they still are: a change that is not in a snapshot yet must not be acknowledged. If writes
    /// continue unrecorded they are recorded from now on.
    /// </remarks>
    public void Resume()
    {
        lock (_writeTurn)
        {
            DropSealed();
            lock (_syncTurn)
            {
                ulong last = _writer.LastSequence;
                _writer.Dispose();
                _writer = new JournalWriter(_catalog, _files, last, _options) { IsListed = true };
                (_resumedAfter, _bytesBefore) = (last, 0);
            }
        }

        lock (_gate)
        {
            Debug.Assert(_state == JournalState.Suspended);
            _state = JournalState.Resuming;
            _resumedLsn = StartOfNext(Staging.NextLsn);
            if (!_options.RefusesWritesOnError)
                Staging.TurnOn();
        }
    }

    /// <summary>Ends a suspension, once a snapshot that was begun after <see cref="Resume"/> is durable.</summary>
    /// <param name="snapshot">Its file; null if the store is empty.</param>
    /// <exception cref="IOException">The manifest cannot be written: still suspended.</exception>
    public void Heal(string? snapshot)
    {
        if (!_options.RefusesWritesOnError)
            WriteAll(); // As after a cut: the snapshot may contain changes that were made meanwhile.

        IReadOnlyList<string> old;
        lock (_gate) // An error of the new files is handled before or after all of this.
        {
            if (_state != JournalState.Resuming)
                return;
            old = Replace(snapshot, _resumedAfter + 1, _resumedLsn);
            (_state, Failure) = (JournalState.Writing, null);
            Waits.Heal(Math.Max(_resumedLsn, _writer.DurableLsn));
            _ring?.SetCounting(true);
            if (_options.RefusesWritesOnError)
                Staging.TurnOn();
        }

        Waits.Advance(_writer.DurableLsn); // A sync in between may have reported more, and nothing since.
        _files.Discard(old);
        StateChanged?.Invoke();
    }

    /// <summary>Replaces files that could not be read to their end by a snapshot.</summary>
    /// <param name="snapshot">Its file, with the entries that were read; nothing was written since.</param>
    /// <param name="damaged">The files to keep for inspection.</param>
    /// <exception cref="IOException">They stay, or some of them were not renamed.</exception>
    public void Renew(string snapshot, IReadOnlyList<string> damaged)
    {
        var old = Replace(snapshot, _writer.LastSequence + 1, Staging.NextLsn);
        foreach (string name in damaged.Distinct().Intersect(old))
            _files.PutAside(name);
        _files.Discard([.. old.Except(damaged)]);
    }

    /// <summary>Suspends after an error of another file.</summary>
    public void Fail(IOException failure) => Suspend(failure);

    /// <summary>Writes and syncs all staged records; the manifest says "clean" if that succeeds.</summary>
    /// <remarks>Neither thread may be in a step. A later write gets no place, and continues unrecorded.</remarks>
    public void Close()
    {
        Staging.Close();
        Write();
        Sync();
        Debug.Assert(!Staging.HasSealed);
        bool isWhole;
        lock (_gate)
        {
            isWhole = _state == JournalState.Writing;
            _state = JournalState.Closed;
        }

        // Recorded writes are durable; a later write may not be recorded.
        Waits.Fail(new IOException("The journal is closed: what is written now is in no file."));
        _ring?.Delete();
        if (!isWhole)
            return;

        try
        {
            _catalog.Change(manifest => manifest with
            {
                State = manifest.State is ManifestState.Suspended or ManifestState.Refused
                    ? manifest.State
                    : ManifestState.Clean,
                EndSequence = _writer.IsListed ? _writer.LastSequence : _listedEnd,
            });
        }
        catch (IOException failure)
        {
            Failure = failure;
        }
    }

    /// <summary>Creates the file of a snapshot.</summary>
    /// <exception cref="IOException">It cannot be created, or it is unknown which files are valid.</exception>
    public SnapshotWriter BeginSnapshot()
    {
        if (_catalog.IsUncertain) // Old snapshots are deleted, and the manifest on the disk may name one.
            _catalog.Change(static manifest => manifest);
        return new SnapshotWriter(_catalog.Directory, _catalog.Manifest, _options.Time, CompressesSnapshots);
    }

    public void Dispose()
    {
        _writer.Dispose();
        Staging.Dispose();
    }

    private bool WriteCore()
    {
        Staging.Seal();
        while (Staging.TakeSealed() is { } chunk)
            _batch.Add(chunk);
        if (_batch.Count == 0)
            return false;
        foreach (var chunk in _batch)
            WaitUntilWhole(chunk);
        try
        {
            if (State is JournalState.Writing or JournalState.Resuming)
                _writer.Write(_batch);
        }
        catch (IOException failure)
        {
            Suspend(failure);
        }

        foreach (var chunk in _batch)
            Staging.Free(chunk);
        _batch.Clear();
        HoldWritersIfUnsynced();
        return true;
    }

    // Files that no manifest names any more.
    private IReadOnlyList<string> Replace(
        string? snapshot, ulong fromSequence, ulong fromLsn, int filesBefore = 0)
    {
        IReadOnlyList<string> old = [];
        _catalog.Change(manifest =>
        {
            string[] names = [.. _writer.Names.Skip(filesBefore)];
            old = [.. manifest.Journals.Append(manifest.Base).OfType<string>().Except([.. names, snapshot ?? ""])];
            return manifest with
            {
                State = ManifestState.Open,
                Base = snapshot,
                FromSequence = fromSequence,
                FromLsn = fromLsn,
                Journals = names,
            };
        });
        return old;
    }

    // The place of the next chunk: no record before it is awaited.
    private static ulong StartOfNext(ulong lsn) =>
        StagedPlace.LsnOf(StagedPlace.SequenceOf(lsn) + 1, BlockHeader.Size);

    // The thread that reserved the last place fills it after a bounded step, even if it is rarely scheduled.
    private static void WaitUntilWhole(StagingChunk chunk)
    {
        var wait = default(SpinWait);
        while (!chunk.IsWhole)
            wait.SpinOnce();
    }

    // Records staged before the error are older than the snapshot: replayed after it, they would undo its content.
    private void DropSealed()
    {
        while (Staging.TakeSealed() is { } chunk)
        {
            WaitUntilWhole(chunk);
            Staging.Free(chunk);
        }
    }

    private void HoldWritersIfUnsynced()
    {
        if (_options.Sync == SyncPolicy.EverySecond)
            Staging.Hold(!SkipsSyncs && !IsPassing && _writer.UnsyncedFor > s_unsyncedMax);
    }

    private void Suspend(IOException failure)
    {
        bool isFirst;
        bool isDroppable;
        lock (_gate)
        {
            if (_state is not (JournalState.Writing or JournalState.Resuming))
                return;
            isFirst = _state == JournalState.Writing; // While new files are being tried, no write is acknowledged.
            isDroppable = IsPassing && isFirst;
            (Failure, _isDroppable) = (failure, isDroppable);
            _state = JournalState.Suspended;
        }

        if (isDroppable) // What counts is whole, and does without.
        {
            Staging.TurnOff(failure, refusesWrites: false);
            Waits.Fail(null);
            return;
        }

        // Where writes continue, a start must know before the first of them. Where they are refused, none is taken
        // that no start would find, however long the disk needs.
        if (!_options.RefusesWritesOnError)
        {
            _catalog.TrySuspend(ManifestState.Suspended);
            _ring?.SetCounting(false); // Even if no manifest says so: what is recorded later follows a gap.
        }

        Staging.TurnOff(failure, _options.RefusesWritesOnError);
        if (isFirst) // A thread that sees the new count gets no place, and so acknowledges no write.
            Interlocked.Increment(ref _suspensionCount);
        if (_options.RefusesWritesOnError)
            _catalog.TrySuspend(_isEnding ? ManifestState.Suspended : ManifestState.Refused);
        Waits.Fail(_options.RefusesWritesOnError ? new JournalSuspendedException(failure) : null);
        StateChanged?.Invoke();
    }
}
