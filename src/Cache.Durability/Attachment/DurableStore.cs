using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>A store and the directory that keeps it: loaded when it begins, written while it lasts.</summary>
/// <remarks>
/// Of <see cref="TryHeal"/>, <see cref="Save"/>, <see cref="BeginRecording"/> and <see cref="EndRecording"/> one runs
/// at a time, on any thread. Begun and disposed by one thread.
/// </remarks>
internal sealed class DurableStore : IDisposable
{
    // So often a disk is asked whether it can be written again.
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

    /// <summary>What the start has found.</summary>
    public RecoveryReport Report { get; }

    /// <summary>The records that it has put into the store.</summary>
    public long LoadedRecords { get; }

    /// <summary>Which keyspace each number of a database stands for; null: its own.</summary>
    public byte[]? Databases => _databases;

    /// <summary>Whether what was found was dropped, since the last process ended too long ago.</summary>
    public bool WasTooOld { get; private init; }

    /// <summary>How many changes were made since the start.</summary>
    public ChangeCounter Changes { get; } = new();

    /// <summary>Whether changes are recorded.</summary>
    public bool IsRecording => _isRecording;

    /// <summary>Told now and then that this many more entries were written into a snapshot.</summary>
    public Action<int>? Written { get; set; }

    /// <summary>
    /// Locks a directory, puts what it holds into a store, and records from then on what becomes of that.
    /// </summary>
    /// <param name="store">It is empty, and nobody else uses it yet; or the directory is new.</param>
    /// <param name="directory">It is there.</param>
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
            var loader = new StoreLoader(store, start.Progress);
            options = options with { Time = store.TimeProvider }; // Expiries are compared with what blocks say.
            journal = JournalStart.Open(directory, loader, start.Recovery, options, out var report);
            loader.Complete();
            if (report.Gaps.Count != 0)
                Renew(store, journal, report, loader.Databases);
            bool isTooOld = start.MaxAge is { } age && loader.IsOlderThan(age);
            if (isTooOld)
                store.ClearAll();
            if (isTooOld || start.IsUsedOnce)
                journal.Empty();
            threads = start.HasThreads ? new JournalThreads(journal, options.Sync) : null;
            var durable = new DurableStore(store, taken, journal, threads, report, loader) { WasTooOld = isTooOld };
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

    /// <summary>Completes when everything that was written until now is durable.</summary>
    /// <exception cref="IOException">It never will be: the journal was suspended, or has ended.</exception>
    public ValueTask WaitAsync()
    {
        var wait = Journal.WaitAsync(Journal.Staging.EndLsn);
        if (!wait.IsCompleted)
            _threads?.NoteWait();
        return wait;
    }

    /// <summary>Writes what the store holds into a snapshot, which takes the place of all files before.</summary>
    /// <exception cref="IOException">It could not be written; the files before still count.</exception>
    public void Save()
    {
        lock (_turn)
            SaveCore();
    }

    /// <summary>Records changes from now on; they count after the next snapshot.</summary>
    public void BeginRecording()
    {
        lock (_turn)
        {
            if (!_isRecording)
                Attach();
        }
    }

    /// <summary>Records no changes from now on. The files keep what they have until the next snapshot.</summary>
    public void EndRecording()
    {
        lock (_turn)
        {
            if (!_isRecording)
                return;
            _isRecording = false;
            _store.Detach(_changes);
            Count();
            Journal.WriteAll();
            Journal.Unlist();
        }
    }

    /// <summary>When what is written is made durable from now on.</summary>
    public void ChangeSync(SyncPolicy policy)
    {
        if (_threads is { } threads)
            threads.ChangeSync(policy);
        else
            Journal.ChangeSync(policy);
    }

    /// <summary>Keeps which keyspace each number of a database stands for. No write is under way meanwhile.</summary>
    /// <exception cref="IOException">Nothing can be recorded, and writes are refused: nothing was changed.</exception>
    public void ChangeDatabases(byte[] keyspaces)
    {
        byte[]? before = _databases;
        _databases = keyspaces; // A snapshot that is begun behind the record has it.
        try
        {
            if (_isRecording)
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
    /// Ends a suspension, if there is one: new files hold what the store holds, and what is written from now on.
    /// </summary>
    /// <returns>Whether changes are recorded; if not, it is tried again.</returns>
    public bool TryHeal()
    {
        lock (_turn)
        {
            if (Journal.State != JournalState.Suspended)
                return Journal.State == JournalState.Writing;
            Journal.Resume();
            _changes.WaitForUnrecorded(); // Of a clear the snapshot would know nothing.
            try
            {
                Journal.Heal(WriteImage(_store, Journal, _databases, Written));
                if (!_isRecording)
                    Journal.Unlist(); // What comes now is in no file: what is recorded later does not continue this.
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

    /// <summary>Writes what is staged and lets the directory go; later writes of the store are not recorded.</summary>
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

    private void Attach()
    {
        if (_isCounting)
            _store.Detach(Changes);
        _isCounting = false;
        _store.Attach(_changes);
        _isRecording = true;
    }

    // The journal does that too while there is one.
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
            Attach();
        }
        else
        {
            Journal.Unlist();
            Count();
        }

        if (_threads == null)
            return;
        _healer = new Thread(HealLoop) { IsBackground = true, Name = "journal-heal" };
        _healer.Start();
    }

    private void SaveCore()
    {
        var cut = Journal.BeginCut();
        string snapshot = WriteImage(_store, Journal, _databases, Written);
        Journal.Cut(cut, snapshot);
        if (!_isRecording)
            Journal.Unlist();
    }

    // Else each start would find the damage again, and be refused.
    private static void Renew(CacheStore store, Journal journal, RecoveryReport report, byte[]? databases) =>
        journal.Renew(
            WriteImage(store, journal, databases, written: null), [.. report.Gaps.Select(static gap => gap.File)]);

    private static string WriteImage(CacheStore store, Journal journal, byte[]? databases, Action<int>? written)
    {
        using var snapshot = journal.BeginSnapshot();
        StoreImage.Write(store, databases, snapshot, written);
        snapshot.Complete();
        journal.SnapshotBytes = snapshot.Length;
        return snapshot.Name;
    }

    // The time of the last block is when this process was last seen.
    private void Beat()
    {
        try
        {
            if (_isRecording)
                _changes.WriteVoid();
        }
        catch (IOException)
        {
            // It was suspended in between.
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
