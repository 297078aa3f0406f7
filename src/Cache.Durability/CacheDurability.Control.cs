using Cache.Durability.Attachment;
using Cache.Durability.Control;
using Cache.Durability.Files;
using Cache.Durability.Journaling;

namespace Cache.Durability;

/// <remarks>
/// The members for a server, which reads and changes settings while it runs. Settings are single words, read at any
/// time.
/// </remarks>
public sealed partial class CacheDurability
{
    private volatile IReadOnlyList<SavePoint> _savePoints;
    private volatile SyncPolicy _sync;
    private volatile bool _compressesSnapshots;
    private volatile int _growthPercent;
    private long _growthBytesMin;
    private long _snapshotRate;
    private volatile bool _refusesAfterFailedSave;
    private volatile bool _isServing = true;
    private volatile bool _savesNot;

    // For a folder that does not exist yet.
    private volatile byte[]? _databases;

    private readonly Lock _servingGate = new();

    // The last wait of WaitWholeAsync, and its place.
    private readonly Lock _wholeGate = new();
    private Task<bool> _whole = Task.FromResult(false);
    private ulong _wholeLsn;

    /// <summary>The present mode.</summary>
    internal DurabilityMode Mode =>
        _durable is { } durable && _options.Mode is DurabilityMode.Journal or DurabilityMode.Snapshot
            ? durable.IsRecording ? DurabilityMode.Journal : DurabilityMode.Snapshot
            : _options.Mode;

    /// <summary>Whether all commands can be served: there is no load, and no failure that refuses writes.</summary>
    internal bool IsServing => _isServing;

    /// <summary>Whether the store is incomplete: files are being loaded, or could not be.</summary>
    internal bool IsLoading => _isLoading || _hasFailed;

    /// <summary>The number of times that the journal could not be written.</summary>
    internal long SuspensionCount => _durable?.Journal.SuspensionCount ?? 0;

    /// <summary>The keyspace of each database number; null: the same number, or nothing is loaded yet.</summary>
    internal byte[]? Databases => _durable?.Databases;

    /// <summary>The bytes of shared memory in which changes lie until they are written; 0: none is used.</summary>
    internal long SharedStagingBytes => _durable?.Journal.Staging.SharedBytes ?? 0;

    /// <summary>The number of times that writers have waited for the disk.</summary>
    internal long WaitCount => _durable?.Journal.Staging.WaitCount ?? 0;

    /// <summary>When the start began, in Unix milliseconds.</summary>
    internal long StartMs => _startMs;

    /// <summary>Whether changes are recorded.</summary>
    internal bool IsRecording => _durable is { IsRecording: true };

    /// <summary>Whether replies wait until their changes are durable.</summary>
    internal bool HoldsReplies => _sync == SyncPolicy.Always && IsRecording;

    /// <summary>Why changes are not recorded; null: they are, or need not be.</summary>
    internal IOException? Failure =>
        _durable is { Journal: { IsDroppable: false, State: JournalState.Suspended or JournalState.Resuming } journal }
            ? journal.Failure
            : null;

    /// <summary>Whether writes are refused because the journal cannot be written.</summary>
    internal bool IsSuspended => _options.RefusesWritesOnError && IsRecording && Failure != null;

    /// <summary>Whether writes are refused because the last snapshot failed.</summary>
    internal bool RefusesAfterFailedSave =>
        _refusesAfterFailedSave && _savePoints.Count > 0 && _jobs?.Figures.Save.Failure != null;

    internal SnapshotJobs? SnapshotJobs => _jobs;

    internal DurableStore? Durable => _durable;

    internal long ChangesSinceSave =>
        _durable == null ? 0 : _durable.Changes.Sum - (_jobs?.Figures.ChangesAtLast ?? 0);

    internal IReadOnlyList<SavePoint> SavePoints => _savePoints;

    internal int GrowthPercent
    {
        get => _growthPercent;
        set => _growthPercent = value;
    }

    internal long GrowthBytesMin
    {
        get => Volatile.Read(ref _growthBytesMin);
        set => Volatile.Write(ref _growthBytesMin, value);
    }

    /// <summary>The bytes of a snapshot that are written in a second at most; 0: any number.</summary>
    internal long SnapshotRate
    {
        get => Volatile.Read(ref _snapshotRate);
        set => Volatile.Write(ref _snapshotRate, value);
    }

    /// <summary>Whether blocks of the next snapshot are compressed.</summary>
    internal bool CompressesSnapshots
    {
        get => _compressesSnapshots;
        set
        {
            _compressesSnapshots = value;
            Interlocked.MemoryBarrier(); // Pairs with that of the start.
            if (_durable is { } durable)
                durable.Journal.CompressesSnapshots = value;
        }
    }

    internal bool RefusesWritesAfterFailedSave
    {
        get => _refusesAfterFailedSave;
        set
        {
            _refusesAfterFailedSave = value;
            UpdateServing();
        }
    }

    /// <summary>Whether the sync of each second is omitted while a snapshot is written.</summary>
    internal bool SkipsSyncsWhileSaving { get; set; }

    /// <summary>Whether a stop writes no snapshot, whatever the mode.</summary>
    internal bool SavesNot
    {
        get => _savesNot;
        set => _savesNot = value;
    }

    /// <summary>Whether a stop writes a snapshot, if there were changes since the last one.</summary>
    internal bool SavesChanges { get; set; }

    /// <summary>Whether the records are valid; else they become valid with the next snapshot.</summary>
    internal bool IsWhole => _durable is not { IsRecording: true } durable || durable.Journal.IsListed;

    internal SyncPolicy Sync
    {
        get => _sync;
        set
        {
            _durable?.ChangeSync(value);
            _sync = value;
        }
    }

    /// <summary>Begins or ends recording changes; the records become valid with a snapshot.</summary>
    /// <returns>Whether it succeeded; if not, the log says why.</returns>
    internal bool TryRecord(bool isRecording) => Try(() =>
    {
        if (!isRecording)
        {
            _durable?.EndRecording();
            UpdateServing(); // Files that cannot be written no longer refuse writes.
            return;
        }

        var jobs = Jobs;
        if (OpenIfNew() is not { IsRecording: false } durable)
            return;
        durable.BeginRecording();
        UpdateServing();
        jobs.Schedule(SnapshotPurpose.Rewrite);
    });

    /// <summary>Sets when a snapshot is written automatically.</summary>
    /// <returns>Whether it succeeded; if not, the log says why.</returns>
    internal bool TrySetSavePoints(IReadOnlyList<SavePoint> points) => Try(() =>
    {
        if (points.Count > 0 && _jobs != null)
            OpenIfNew(); // Begins to count changes.
        _savePoints = points;
        UpdateServing();
    });

    /// <summary>Waits until a start would find all changes until now.</summary>
    /// <returns>False if it would not: they are not recorded, or cannot be written.</returns>
    /// <remarks>
    /// Callers between two changes share a wait. A client may ask again and again with a short timeout while a disk
    /// hangs, and each wait is memory until it ends.
    /// </remarks>
    internal Task<bool> WaitWholeAsync()
    {
        lock (_wholeGate)
        {
            ulong lsn = _durable?.EndLsn ?? 0;
            if (_whole.IsCompleted || lsn != _wholeLsn)
                (_whole, _wholeLsn) = (WaitWholeCoreAsync(), lsn);
            return _whole;
        }
    }

    private async Task<bool> WaitWholeCoreAsync()
    {
        try
        {
            await WaitAsync().ConfigureAwait(false);
            if (!IsWhole && _jobs is { } jobs)
                await jobs.CurrentAsync().ConfigureAwait(false);
        }
        catch (IOException)
        {
            return false;
        }

        return IsRecording && IsWhole && Failure == null;
    }

    /// <summary>Reports the state "loading" from now on, before it starts.</summary>
    internal void Announce()
    {
        lock (_gate)
            _isLoading |= _start == null && _options.Mode != DurabilityMode.Off;
        UpdateServing();
    }

    /// <summary>
    /// Called at the end of a load with the keyspace of each database number, if these differ.
    /// </summary>
    internal Action<byte[]>? Loaded { get; set; }

    /// <summary>Records the keyspace of each database number; no write may be under way meanwhile.</summary>
    /// <returns>False if it cannot be recorded: nothing was changed.</returns>
    internal bool TryChangeDatabases(byte[] keyspaces)
    {
        try
        {
            _databases = keyspaces;
            _durable?.ChangeDatabases(keyspaces);
            return true;
        }
        catch (IOException)
        {
            return false; // The failure that suspended the journal is the reason.
        }
    }

    /// <summary>
    /// Closes the files and loads the store from them again. Other code must not use the store meanwhile; for tests of
    /// clients.
    /// </summary>
    /// <param name="saves">Whether to write a snapshot before.</param>
    /// <returns>Whether it was loaded; if not, the log says why, and the store may be empty.</returns>
    /// <remarks>Waits for a snapshot that is being written; none begins meanwhile. A stop ends the load.</remarks>
    internal bool TryReload(bool saves) => Try(() => Jobs.RunAlone(() => Reload(saves)));

    private void Reload(bool saves)
    {
        lock (_openTurn)
        {
            var durable = OpenIfNew();
            bool isRecording = durable.IsRecording;
            durable.Pace = null; // All clients wait.
            if (saves)
                durable.Save();
            durable.Dispose();
            _durable = null;
            _store.ClearAll();
            try
            {
                Open(isNew: false, isRecording);
            }
            catch
            {
                // A part of the entries, which expire much later, and nothing records changes: as after such a start.
                _store.ClearAll();
                _hasFailed = true;
                UpdateServing();
                throw;
            }
        }
    }

    private bool Try(Action change)
    {
        try
        {
            change();
            return true;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException
            or InvalidOperationException or OperationCanceledException)
        {
            DurabilityLog.ChangeFailed(_logger, failure.Message);
            return false;
        }
    }

    // A folder that did not exist at the start.
    private DurableStore OpenIfNew()
    {
        lock (_openTurn)
        {
            if (_durable != null)
                return _durable;
            ThrowIfStopped();
            Open(isNew: true, isRecording: false);
            BeginFunctions();
            if (_databases is { } keyspaces)
                _durable!.ChangeDatabases(keyspaces);
            return _durable!;
        }
    }

    // On a thread of its own, which ends with the snapshot.
    private void WriteSnapshot(SnapshotPurpose purpose)
    {
        if (OperatingSystem.IsLinux())
            PosixCalls.LowerPriority();
        var durable = OpenIfNew();
        durable.Journal.SkipsSyncs = SkipsSyncsWhileSaving;
        try
        {
            durable.Save();
        }
        finally
        {
            durable.Journal.SkipsSyncs = false;
        }
    }

    private void NoteWritten(int count)
    {
        if (_jobs is not { } jobs)
            return;
        if (jobs.MustStop)
            throw new IOException("It was stopped while a snapshot was written.");
        jobs.AddKeys(count);
    }

    private void NoteEnded(SnapshotPurpose purpose, Exception? failure)
    {
        UpdateServing();
        if (failure == null)
            DurabilityLog.Saved(_logger, _durable!.Journal.SnapshotBytes);
        else
            DurabilityLog.SaveFailed(_logger, failure.Message);
    }

    private void NoteState()
    {
        UpdateServing();
        if (_durable?.Journal is not { } journal)
            return;
        if (journal.State == JournalState.Writing)
            DurabilityLog.Healed(_logger);
        else
            DurabilityLog.Suspended(
                _logger, journal.Failure?.Message ?? "", _options.RefusesWritesOnError ? "refused" : "not recorded");
    }

    private void UpdateServing()
    {
        lock (_servingGate)
            _isServing = !IsLoading && !IsSuspended && !RefusesAfterFailedSave;
    }

    private long ChangesSum() => _durable?.Changes.Sum ?? 0;

    // Called each second.
    private void Control()
    {
        while (!_stopped.Wait(s_tick))
            BeginIfDue();
    }

    private void BeginIfDue()
    {
        if (_durable is not { } durable || _jobs is not { } jobs)
            return;
        var figures = jobs.Figures;
        if (figures.Running != null)
            return;
        if (SnapshotSchedule.IsSaveDue(_savePoints, figures, durable.Changes.Sum, _startMs, NowMs))
            jobs.TryBegin(SnapshotPurpose.Save, out _, out _);
        else if (durable.IsRecording && !durable.Journal.IsListed)
            jobs.TryBegin(SnapshotPurpose.Rewrite, out _, out _); // The first snapshot has failed.
        else if (durable.IsRecording && SnapshotSchedule.IsRewriteDue(
            _growthPercent, GrowthBytesMin, durable.Journal.SnapshotBytes, durable.Journal.Bytes, figures, NowMs))
        {
            jobs.TryBegin(SnapshotPurpose.Rewrite, out _, out _);
        }
    }

    private bool SavesAtStop(DurableStore durable)
    {
        if (_savesNot)
            return false;
        if (_options.Mode == DurabilityMode.Restart)
            return true;
        if (durable.IsRecording)
            return !IsWhole; // No record is valid before it.
        bool isDue = ChangesSinceSave > 0 || _jobs?.Figures.Save.Failure != null;
        // Its time shows the next start when this process ended.
        return (_savePoints.Count > 0 || SavesChanges) && (isDue || _options.LoadMaxAge != null);
    }
}
