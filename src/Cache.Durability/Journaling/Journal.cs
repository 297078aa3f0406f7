using System.Diagnostics;
using Cache.Durability.Catalog;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>Takes what threads have staged to the disk, step by step.</summary>
/// <remarks>
/// One thread calls <see cref="Write"/>, another one <see cref="Sync"/>; so the next batch is written while the last
/// one is synced. An error of either suspends: the manifest says so, what is staged is dropped, and who waits is told.
/// No step throws an <see cref="IOException"/>, and no error is tried again on the same file.
/// <code>
///     Writing ──error──> Suspended ──Resume──> Resuming ──Heal, with a durable snapshot──> Writing
///                            └──────error─────────┘                        each ──Close──> Closed
/// </code>
/// </remarks>
internal sealed partial class Journal : IDisposable
{
    // Redis's: a write that has not been synced for so long has writers wait.
    private static readonly TimeSpan s_unsyncedMax = TimeSpan.FromSeconds(2);

    private readonly StoreCatalog _catalog;
    private readonly JournalFiles _files;
    private readonly JournalOptions _options;
    private readonly List<StagingChunk> _batch = [];
    private readonly Lock _gate = new();

    // Held for the whole of a write, and of a sync; where both are, the first one first.
    private readonly Lock _writeTurn = new();
    private readonly Lock _syncTurn = new();
    private JournalWriter _writer;
    private ulong _resumedAfter;
    private ulong _resumedLsn;
    private volatile JournalState _state;

    /// <param name="catalog">The files that were found; those of the journal are added to them.</param>
    /// <param name="files">Makes files.</param>
    /// <param name="lastSequence">The last block that counts; 0 if there is none.</param>
    /// <param name="lastLsn">The place of the last record that counts.</param>
    /// <param name="options">How it is written.</param>
    public Journal(
        StoreCatalog catalog, JournalFiles files, ulong lastSequence, ulong lastLsn, JournalOptions options)
    {
        _catalog = catalog;
        _files = files;
        _options = options;
        _writer = new JournalWriter(catalog, files, lastSequence, options) { IsListed = true };
        Staging = new StagingArea(options.Chunks, StagedPlace.SequenceOf(lastLsn) + 1);
        Waits.Advance(StartOfNext(lastLsn));
    }

    public StagingArea Staging { get; }

    public DurableWaits Waits { get; } = new();

    /// <summary>Any thread, without a lock: a moment old unless the caller has the gate.</summary>
    public JournalState State => _state;

    /// <summary>How often it was suspended.</summary>
    public long SuspensionCount => Volatile.Read(ref _suspensionCount);

    /// <summary>Told that it was suspended, or goes on, by the thread that found that.</summary>
    public Action? StateChanged { get; set; }

    /// <summary>Why it is suspended; null if it is not.</summary>
    public IOException? Failure { get; private set; }

    /// <summary>Writes what is staged until now.</summary>
    /// <returns>Whether there was anything.</returns>
    public bool Write()
    {
        lock (_writeTurn)
            return WriteCore();
    }

    /// <summary>Completes when every record before a place is durable.</summary>
    public ValueTask WaitAsync(ulong lsn) => Waits.WaitAsync(lsn);

    /// <summary>Makes durable what was written until now, and lets those go on who wait for it.</summary>
    public void Sync()
    {
        if (!SkipsSyncs)
            SyncNow();
    }

    // Also while each second's is left out.
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

    /// <summary>Begins new files after an error; from here on a snapshot is taken, see <see cref="Heal"/>.</summary>
    /// <remarks>
    /// Where writes are refused they still are: what a snapshot does not hold yet must not be acknowledged. Where they
    /// go on they are recorded from here on.
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

    /// <summary>Ends a suspension: a snapshot that was begun after <see cref="Resume"/> is durable.</summary>
    /// <param name="snapshot">Its file; null if the store is empty.</param>
    /// <exception cref="IOException">The manifest cannot be written: still suspended.</exception>
    public void Heal(string? snapshot)
    {
        if (!_options.RefusesWritesOnError)
            WriteAll(); // As where a cut is made: the snapshot may hold what was written meanwhile.

        IReadOnlyList<string> old;
        lock (_gate) // An error of the new files comes before or after all of this.
        {
            if (_state != JournalState.Resuming)
                return;
            old = Replace(snapshot, _resumedAfter + 1, _resumedLsn);
            (_state, Failure) = (JournalState.Writing, null);
            Waits.Heal(Math.Max(_resumedLsn, _writer.DurableLsn));
            if (_options.RefusesWritesOnError)
                Staging.TurnOn();
        }

        Waits.Advance(_writer.DurableLsn); // A sync in between may have told of more, and of nothing since.
        _files.Discard(old);
        StateChanged?.Invoke();
    }

    /// <summary>Puts a snapshot in the place of files that could not be read to their end.</summary>
    /// <param name="snapshot">Its file, which holds what was read of them; nothing was written since.</param>
    /// <param name="damaged">Those that somebody may want to look at.</param>
    /// <exception cref="IOException">They stay, or some of them are not put aside.</exception>
    public void Renew(string snapshot, IReadOnlyList<string> damaged)
    {
        var old = Replace(snapshot, _writer.LastSequence + 1, Staging.NextLsn);
        foreach (string name in damaged.Distinct().Intersect(old))
            _files.PutAside(name);
        _files.Discard([.. old.Except(damaged)]);
    }

    /// <summary>Suspends after an error of a file that is not the journal's own.</summary>
    public void Fail(IOException failure) => Suspend(failure);

    /// <summary>Writes and syncs everything that is staged; the manifest says "clean" if that succeeded.</summary>
    /// <remarks>Neither thread is in a step. Whoever still comes gets no place, and goes on unrecorded.</remarks>
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

        // Who was recorded has what it waits for; whoever comes now may not have been.
        Waits.Fail(new IOException("The journal is closed: what is written now is in no file."));
        if (!isWhole)
            return;

        try
        {
            _catalog.Change(manifest => manifest with
            {
                State = manifest.State == ManifestState.Suspended ? ManifestState.Suspended : ManifestState.Clean,
                EndSequence = _writer.IsListed ? _writer.LastSequence : _listedEnd,
            });
        }
        catch (IOException failure)
        {
            Failure = failure;
        }
    }

    /// <summary>Begins the file that a snapshot is written to.</summary>
    /// <exception cref="IOException">It cannot be made, or nobody knows which files count.</exception>
    public SnapshotWriter BeginSnapshot()
    {
        if (_catalog.IsUncertain) // Old snapshots are deleted, and the manifest on the disk may name one.
            _catalog.Change(static manifest => manifest);
        return new SnapshotWriter(_catalog.Directory, _catalog.Manifest, _options.Time);
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

    // The files that no manifest names any more.
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

    // Where the chunk begins that is opened next: there is nothing before it to be waited for.
    private static ulong StartOfNext(ulong lsn) =>
        StagedPlace.LsnOf(StagedPlace.SequenceOf(lsn) + 1, BlockHeader.Size);

    // The thread that reserved the last place fills it after a bounded step, however seldom it is scheduled.
    private static void WaitUntilWhole(StagingChunk chunk)
    {
        var wait = default(SpinWait);
        while (!chunk.IsWhole)
            wait.SpinOnce();
    }

    // What was staged before the error is older than the snapshot: behind it, it would undo what that holds.
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
            Staging.Hold(!SkipsSyncs && _writer.UnsyncedFor > s_unsyncedMax);
    }

    private void Suspend(IOException failure)
    {
        bool isFirst;
        lock (_gate)
        {
            if (_state is not (JournalState.Writing or JournalState.Resuming))
                return;
            isFirst = _state == JournalState.Writing; // While new files are tried, no write is acknowledged.
            (Failure, _state) = (failure, JournalState.Suspended);
        }

        _catalog.TrySuspend();
        Staging.TurnOff(failure, _options.RefusesWritesOnError);
        if (isFirst) // Whoever sees the new count gets no place any more, and so acknowledges no write.
            Interlocked.Increment(ref _suspensionCount);
        Waits.Fail(_options.RefusesWritesOnError ? new JournalSuspendedException(failure) : null);
        StateChanged?.Invoke();
    }
}
