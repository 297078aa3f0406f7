using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>A store and its directory: loads the files at the start, and writes them while the store is used.</summary>
/// <remarks>
/// Of <see cref="TryHeal"/>, <see cref="Save"/>, <see cref="BeginRecording"/> and <see cref="EndRecording"/> only one
/// may run at a time, on any thread. One thread creates and disposes it.
/// </remarks>
internal sealed class DurableStore : IDisposable
{
    // How often it is tried whether a disk can be written again.
    private static readonly TimeSpan s_healPeriod = TimeSpan.FromSeconds(10);

    private readonly CacheStore _store;
    private readonly IDisposable _lock;
    private readonly StoreJournal _changes;
    private readonly JournalThreads? _threads;
    private readonly Lock _turn = new();
    private readonly ManualResetEventSlim _stopped = new();
    private Thread? _healer;
    private volatile byte[]? _databases;
    private volatile bool _isRecording;

    // Without a journal, while changes are recorded beside a snapshot.
    private volatile bool _isSaving;
    private bool _isCounting;
    private bool _beats;
    private bool _isDisposed;

    private DurableStore(
        CacheStore store, IDisposable taken, Journal journal, JournalThreads? threads, RecoveryReport report,
        StoreLoader loader)
    {
        (_store, _lock, Journal, _threads) = (store, taken, journal, threads);
        _changes = new StoreJournal(journal.Staging, threads, Changes);
        (Report, LoadedRecords, _databases) = (report, loader.Count, loader.Databases);
    }

    public Journal Journal { get; }

    /// <summary>The findings of the start.</summary>
    public RecoveryReport Report { get; }

    /// <summary>The number of records that were loaded into the store.</summary>
    public long LoadedRecords { get; }

    /// <summary>The keyspace of each database number; null: the keyspace with the same number.</summary>
    public byte[]? Databases => _databases;

    /// <summary>Whether the loaded entries were dropped, since the last process ended too long ago.</summary>
    public bool WasTooOld { get; private init; }

    /// <summary>The number of changes since the start.</summary>
    public ChangeCounter Changes { get; } = new();

    /// <summary>How many files the start has renamed in place of loading them.</summary>
    public int IgnoredFileCount { get; private init; }

    /// <summary>The suffix that they got; null: it has loaded the files.</summary>
    public string? IgnoredEnding { get; private init; }

    /// <summary>Whether changes are recorded.</summary>
    public bool IsRecording => _isRecording;

    /// <summary>Called now and then with the number of further entries in a snapshot.</summary>
    public Action<int>? Written { get; set; }

    /// <summary>Called now and then with the bytes of a snapshot so far; may wait, to hold it back.</summary>
    public Action<long>? Pace { get; set; }

    /// <summary>
    /// Locks a directory, loads its files into a store, and records the store's changes from then on.
    /// </summary>
    /// <param name="store">It is empty, and not used by other code yet; or the directory is new.</param>
    /// <param name="directory">It exists.</param>
    /// <param name="options">How the journal is written.</param>
    /// <param name="start">How it begins.</param>
    /// <exception cref="DirectoryLockedException">Another process has the directory.</exception>
    /// <exception cref="IOException">Its files are refused, or cannot be read or written.</exception>
    /// <exception cref="OperationCanceledException">The load was cancelled.</exception>
    public static DurableStore Open(
        CacheStore store, StorageDirectory directory, JournalOptions options, StoreStart start)
    {
        if (!start.IsNew && store.GetStatistics().Count != 0)
            throw new InvalidOperationException("The store has entries already, which no file would hold.");
        var taken = directory.Lock(FileNames.Lock);
        Journal? journal = null;
        JournalThreads? threads = null;
        try
        {
            if (start.IsNew && directory.List().Contains(FileNames.Manifest))
                throw new IOException($"{directory.Path} has files of a store already; a start would load them.");
            (int ignored, string? ignoredEnding) = start.IgnoredEnding is { } ending
                ? IgnoredFiles.PutAside(directory, ending)
                : (0, null);
            using var loader = new StoreLoader(store, start.Progress, start.LoadThreads, start.LoadBatchBytes);
            options = options with { Time = store.TimeProvider }; // Expiries are compared with the times in blocks.
            journal = Load(directory, loader, start.Recovery, options, out var report);
            loader.Complete();
            if (report.Gaps.Count != 0 || report.WasRefused)
                Renew(store, journal, report, loader.Databases);
            bool isTooOld = start.MaxAge is { } age && loader.IsOlderThan(age);
            if (isTooOld)
                store.ClearAll();
            if (isTooOld || start.IsUsedOnce)
                journal.Empty();
            threads = start.HasThreads ? new JournalThreads(journal, options.Sync) : null;
            var durable = new DurableStore(store, taken, journal, threads, report, loader)
            {
                WasTooOld = isTooOld,
                IgnoredFileCount = ignored,
                IgnoredEnding = ignoredEnding,
            };
            durable.Begin(start);
            return durable;
        }
        catch
        {
            threads?.Dispose();
            journal?.Dispose();
            taken.Dispose();
            throw;
        }
    }

    /// <summary>The place behind all changes until now.</summary>
    public ulong EndLsn => Journal.Staging.EndLsn;

    /// <summary>Completes when all changes until now are durable.</summary>
    /// <exception cref="IOException">They never will be: the journal was suspended, or has ended.</exception>
    public ValueTask WaitAsync()
    {
        var wait = Journal.WaitAsync(Journal.Staging.EndLsn);
        if (!wait.IsCompleted)
            _threads?.NoteWait();
        return wait;
    }

    /// <summary>Writes the store's entries into a snapshot, which replaces all earlier files.</summary>
    /// <exception cref="IOException">It could not be written; the earlier files stay valid.</exception>
    public void Save()
    {
        lock (_turn)
            SaveCore();
    }

    /// <summary>Records changes from now on; the records become valid with the next snapshot.</summary>
    public void BeginRecording()
    {
        lock (_turn)
        {
            if (_isRecording)
                return;
            Journal.IsPassing = false;
            if (Journal.IsDroppable)
                Journal.Drop();
            Attach();
            Journal.EndEnding();
        }
    }

    /// <summary>Stops recording changes. The files stay as they are until the next snapshot.</summary>
    public void EndRecording()
    {
        lock (_turn)
        {
            if (!_isRecording)
                return;
            _isRecording = false;
            Journal.BeginEnding();
            _store.Detach(_changes);
            Count();
            Journal.WriteAll();
            Journal.Unlist();
            Journal.IsPassing = true;
        }
    }

    /// <summary>Changes when written records are made durable.</summary>
    public void ChangeSync(SyncPolicy policy)
    {
        if (_threads is { } threads)
            threads.ChangeSync(policy);
        else
            Journal.ChangeSync(policy);
    }

    /// <summary>Records the keyspace of each database number. No write may be under way meanwhile.</summary>
    /// <exception cref="IOException">Nothing can be recorded, and writes are refused: nothing was changed.</exception>
    public void ChangeDatabases(byte[] keyspaces)
    {
        byte[]? before = _databases;
        _databases = keyspaces; // A snapshot that begins after the record has it.
        Interlocked.MemoryBarrier(); // One that begins meanwhile has it, or is seen here.
        try
        {
            if (_isRecording || _isSaving)
                _changes.WriteDatabases(keyspaces);
            Changes.Add();
        }
        catch
        {
            _databases = before;
            throw;
        }
    }

    /// <summary>
    /// Ends a suspension, if there is one: new files get all entries of the store, and all changes from now on.
    /// </summary>
    /// <returns>Whether changes are recorded; if not, it will be tried again.</returns>
    public bool TryHeal()
    {
        lock (_turn)
        {
            if (Journal.IsDroppable)
                Journal.Drop();
            if (Journal.State != JournalState.Suspended)
                return Journal.State == JournalState.Writing;
            Journal.Resume();
            _changes.WaitForUnrecorded(); // The snapshot would not know of a clear.
            try
            {
                Journal.Heal(WriteImage(_store, Journal, _databases, Written, Pace));
                if (!_isRecording)
                    Journal.Unlist(); // Changes are in no file now: later records do not continue these.
            }
            catch (IOException failure)
            {
                Journal.Fail(failure);
            }
            catch (OutOfMemoryException failure)
            {
                Journal.Fail(new IOException("There is no memory to write a snapshot.", failure));
            }
            catch (ObjectDisposedException failure)
            {
                Journal.Fail(
                    new IOException("The store was disposed: there is nothing to write a snapshot of.", failure));
            }

            return Journal.State == JournalState.Writing;
        }
    }

    /// <summary>
    /// Writes the staged records and unlocks the directory; later writes of the store are not recorded.
    /// </summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _stopped.Set();
        _healer?.Join();
        _stopped.Dispose();
        if (_beats)
            Beat();
        if (_isRecording)
            _store.Detach(_changes);
        if (_isCounting)
            _store.Detach(Changes);
        _threads?.Dispose();
        Journal.Close();
        Journal.Dispose();
        _lock.Dispose();
    }

    private static Journal Load(
        StorageDirectory directory, StoreLoader loader, RecoveryMode recovery, JournalOptions options,
        out RecoveryReport report)
    {
        try
        {
            return JournalStart.Open(directory, loader, recovery, options, out report);
        }
        catch (RecoveryRefusedException)
        {
            loader.End(); // The error of an earlier record is the one to report.
            throw;
        }
    }

    private void Attach()
    {
        if (_isCounting)
            _store.Detach(Changes);
        _isCounting = false;
        _changes.IsCounting = true;
        _store.Attach(_changes);
        _isRecording = true;
    }

    // The journal does so too while there is one.
    private void Count()
    {
        _store.Attach(Changes);
        _isCounting = true;
    }

    private void Begin(StoreStart start)
    {
        _beats = start.MaxAge != null;
        if (start.IsRecording)
        {
            Journal.PrepareFile();
            Attach();
        }
        else
        {
            Journal.Unlist();
            Journal.IsPassing = true;
            Count();
        }

        if (_threads == null)
            return;
        _healer = new Thread(HealLoop) { IsBackground = true, Name = "journal-heal" };
        _healer.Start();
    }

    private void SaveCore()
    {
        if (_isRecording)
        {
            var cut = Journal.BeginCut();
            Journal.Cut(cut, WriteImage(_store, Journal, _databases, NoteWritten, Pace));
            return;
        }

        SavePassing();
    }

    // What becomes of several keys while the snapshot is written might be there in part, or not at all, where one key
    // has been written and the other has not: so changes are recorded meanwhile, and the files are as of the end.
    private void SavePassing()
    {
        if (Journal.IsDroppable) // What was left of the last one could not be written.
            Journal.Drop();
        try
        {
            var (cut, snapshot) = WriteImageAndChanges();
            Journal.Cut(cut, snapshot);
            Journal.Unlist();
        }
        finally
        {
            if (Journal.IsDroppable)
                Journal.Drop();
        }
    }

    private (JournalCut Cut, string Snapshot) WriteImageAndChanges()
    {
        _changes.IsCounting = false;
        _isSaving = true;
        _store.Attach(_changes);
        try
        {
            var cut = Journal.BeginCut();
            return (cut, WriteImage(_store, Journal, _databases, NoteWritten, Pace));
        }
        finally
        {
            _store.Detach(_changes); // Whoever recorded before has had its lock: no change is there without its cause.
            _isSaving = false;
        }
    }

    // The rest of a snapshot that cannot count is not written.
    private void NoteWritten(int count)
    {
        Written?.Invoke(count);
        if (Journal.State == JournalState.Suspended)
            throw new IOException("The journal beside the snapshot cannot be written.", Journal.Failure);
    }

    // Else each start would find the damage again, and be refused; and a file that could not be written would be
    // continued, although it is unknown what of it is on the disk.
    private static void Renew(CacheStore store, Journal journal, RecoveryReport report, byte[]? databases) =>
        journal.Renew(
            WriteImage(store, journal, databases, written: null), [.. report.Gaps.Select(static gap => gap.File)]);

    private static string WriteImage(
        CacheStore store, Journal journal, byte[]? databases, Action<int>? written, Action<long>? pace = null)
    {
        using var snapshot = journal.BeginSnapshot();
        StoreImage.Write(store, databases, snapshot, written, pace);
        snapshot.Complete();
        journal.SnapshotBytes = snapshot.Length;
        return snapshot.Name;
    }

    // The time of the last block shows when this process last ran.
    private void Beat()
    {
        try
        {
            if (_isRecording)
                _changes.WriteVoid();
        }
        catch (IOException)
        {
            // The journal was suspended in between.
        }
    }

    private void HealLoop()
    {
        while (!_stopped.Wait(s_healPeriod))
        {
            if (TryHeal() && _beats)
                Beat();
        }
    }
}
