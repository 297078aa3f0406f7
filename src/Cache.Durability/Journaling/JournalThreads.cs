using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>The two threads of a journal: one writes, one syncs.</summary>
/// <remarks>
/// The writing thread sleeps while nothing is staged. The first record of a chunk wakes it; then it collects further
/// records for a tick, unless a caller waits for the disk, and writes them together.
/// </remarks>
internal sealed class JournalThreads : IDisposable
{
    // The longest time that a record stays only in memory if no caller waits for it.
    private const int TickMs = 5;

    private const int SyncPeriodMs = 1000;

    private readonly Journal _journal;
    private volatile SyncPolicy _policy;
    private readonly AutoResetEvent _syncWanted = new(false);
    private readonly Thread _writer;
    private readonly Thread _syncer;
    private volatile bool _isWriterIdle;
    private volatile bool _isStopping;

    public JournalThreads(Journal journal, SyncPolicy policy)
    {
        _journal = journal;
        _policy = policy;
        _writer = new Thread(WriteLoop) { IsBackground = true, Name = "journal-write" };
        _syncer = new Thread(SyncLoop) { IsBackground = true, Name = "journal-sync" };
        _writer.Start();
        _syncer.Start();
    }

    /// <summary>The sync policy from now on.</summary>
    public void ChangeSync(SyncPolicy policy)
    {
        _journal.ChangeSync(policy);
        _policy = policy;
        _syncWanted.Set();
        _journal.Staging.Sealed.Set();
    }

    /// <summary>Called when a place was filled: the first one of a chunk wakes the writing thread.</summary>
    public void Filled(in StagedPlace place)
    {
        // The reservation was a full fence: either this sees the flag, or the thread that sets it sees the record.
        if (place.IsFirst && _isWriterIdle)
            _journal.Staging.Sealed.Set();
    }

    /// <summary>
    /// Called when a caller begins to wait: under <see cref="SyncPolicy.No"/>, this syncs for the caller.
    /// </summary>
    public void NoteWait()
    {
        if (_policy != SyncPolicy.No || _isStopping)
            return;
        try
        {
            _syncWanted.Set();
        }
        catch (ObjectDisposedException)
        {
            // It is stopping, which syncs the staged records.
        }
    }

    /// <summary>Stops both threads; staged records stay staged.</summary>
    public void Dispose()
    {
        _isStopping = true;
        _journal.Staging.Sealed.Set();
        _writer.Join();
        _syncWanted.Set();
        _syncer.Join();
        _syncWanted.Dispose();
    }

    // Also waits that began under another policy.
    private bool IsWaitedFor => _policy == SyncPolicy.No && !_journal.Waits.IsEmpty;

    private void WriteLoop()
    {
        while (!_isStopping)
        {
            if (!WaitForRecords())
                continue;
            if (_policy != SyncPolicy.Always)
                _journal.Staging.Sealed.WaitOne(TickMs);
            bool hasWritten = _journal.Write();
            if (hasWritten && (_policy == SyncPolicy.Always || IsWaitedFor))
                _syncWanted.Set();
            else if (!hasWritten)
                _journal.Staging.Sealed.WaitOne(TickMs); // Writers are held, or the journal is off.
        }
    }

    private bool WaitForRecords()
    {
        _isWriterIdle = true;
        Interlocked.MemoryBarrier();
        if (_journal.Staging.IsEmpty)
            _journal.Staging.Sealed.WaitOne();
        _isWriterIdle = false;
        return !_journal.Staging.IsEmpty || _journal.Staging.HasSealed;
    }

    private void SyncLoop()
    {
        while (!_isStopping)
        {
            _syncWanted.WaitOne(_policy == SyncPolicy.EverySecond ? SyncPeriodMs : Timeout.Infinite);
            if (_policy != SyncPolicy.No || IsWaitedFor)
                _journal.Sync();
        }
    }
}
