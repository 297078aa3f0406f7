using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Journaling;

namespace Cache.Durability.Attachment;

/// <summary>A store and the directory that keeps it: loaded when it begins, written while it lasts.</summary>
/// <remarks>Not thread-safe; the store is.</remarks>
internal sealed class DurableStore : IDisposable
{
    // So often a disk is asked whether it can be written again.
    private static readonly TimeSpan s_healPeriod = TimeSpan.FromSeconds(10);

    private readonly CacheStore _store;
    private readonly IDisposable _lock;
    private readonly StoreJournal _changes;
    private readonly JournalThreads? _threads;
    private readonly ManualResetEventSlim _stopped = new();
    private readonly Thread? _healer;
    private bool _isDisposed;

    private DurableStore(
        CacheStore store, IDisposable taken, Journal journal, JournalThreads? threads, RecoveryReport report,
        long loaded)
    {
        (_store, _lock, Journal, _threads) = (store, taken, journal, threads);
        _changes = new StoreJournal(journal.Staging, threads);
        (Report, LoadedRecords) = (report, loaded);
        if (threads == null)
            return;
        _healer = new Thread(HealLoop) { IsBackground = true, Name = "journal-heal" };
        _healer.Start();
    }

    public Journal Journal { get; }

    /// <summary>What the start has found.</summary>
    public RecoveryReport Report { get; }

    /// <summary>The records that it has put into the store.</summary>
    public long LoadedRecords { get; }

    /// <summary>
    /// Locks a directory, puts what it holds into a store, and records from then on what becomes of that.
    /// </summary>
    /// <param name="store">It is empty, and nobody else uses it yet.</param>
    /// <param name="directory">It is there.</param>
    /// <param name="mode">What is done with files that do not tell everything.</param>
    /// <param name="options">How the journal is written.</param>
    /// <param name="hasThreads">Whether threads write the journal; else the caller takes its steps.</param>
    /// <exception cref="DirectoryLockedException">Another process has the directory.</exception>
    /// <exception cref="IOException">Its files are refused, or cannot be read or written.</exception>
    public static DurableStore Open(
        CacheStore store, StorageDirectory directory, RecoveryMode mode, JournalOptions options, bool hasThreads = true)
    {
        if (store.GetStatistics().Count != 0)
            throw new InvalidOperationException("The store has entries already, which no file would hold.");
        var taken = directory.Lock(FileNames.Lock);
        Journal? journal = null;
        JournalThreads? threads = null;
        try
        {
            var loader = new StoreLoader(store);
            options = options with { Time = store.TimeProvider }; // Expiries are compared with what blocks say.
            journal = JournalStart.Open(directory, loader, mode, options, out var report);
            loader.Complete();
            if (report.Gaps.Count != 0)
                Renew(store, journal, report);
            threads = hasThreads ? new JournalThreads(journal, options.Sync) : null;
            var durable = new DurableStore(store, taken, journal, threads, report, loader.Count);
            store.Attach(durable._changes);
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
    public ValueTask WaitAsync() => Journal.WaitAsync(Journal.Staging.EndLsn);

    /// <summary>
    /// Ends a suspension, if there is one: new files hold what the store holds, and what is written from now on.
    /// </summary>
    /// <returns>Whether changes are recorded; if not, it is tried again.</returns>
    public bool TryHeal()
    {
        if (Journal.State != JournalState.Suspended)
            return Journal.State == JournalState.Writing;
        Journal.Resume();
        _changes.WaitForUnrecorded(); // Of a clear the snapshot would know nothing.
        try
        {
            Journal.Heal(WriteImage(_store, Journal));
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
            Journal.Fail(new IOException("The store was disposed: there is nothing to write a snapshot of.", failure));
        }

        return Journal.State == JournalState.Writing;
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
        _store.Detach(_changes);
        _threads?.Dispose();
        Journal.Close();
        Journal.Dispose();
        _lock.Dispose();
    }

    // Else each start would find the damage again, and be refused.
    private static void Renew(CacheStore store, Journal journal, RecoveryReport report) =>
        journal.Renew(WriteImage(store, journal), [.. report.Gaps.Select(static gap => gap.File)]);

    private static string WriteImage(CacheStore store, Journal journal)
    {
        using var snapshot = journal.BeginSnapshot();
        StoreImage.Write(store, snapshot);
        snapshot.Complete();
        return snapshot.Name;
    }

    private void HealLoop()
    {
        while (!_stopped.Wait(s_healPeriod))
            TryHeal();
    }
}
