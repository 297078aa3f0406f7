namespace Cache.Durability.Control;

/// <summary>Writes snapshots one after the other, each on a thread of its own, and remembers how that went.</summary>
/// <remarks>Thread-safe. The gate is held for a few fields, never while a snapshot is written.</remarks>
/// <param name="time">The clock.</param>
/// <param name="changes">How many changes were made since the start.</param>
/// <param name="write">Writes one; throws an <see cref="IOException"/> if it cannot.</param>
internal sealed class SnapshotJobs(TimeProvider time, Func<long> changes, Action<SnapshotPurpose> write)
{
    private readonly Lock _gate = new();
    private SnapshotFigures _figures = new();
    private Task _current = Task.CompletedTask;
    private long _keys;
    private bool _isClosed;

    /// <summary>Told that one has ended, and with which failure; on the thread that wrote it.</summary>
    public Action<SnapshotPurpose, Exception?>? Ended { get; set; }

    public SnapshotFigures Figures
    {
        get
        {
            lock (_gate)
                return _figures;
        }
    }

    /// <summary>The entries of the one that is being written, so far.</summary>
    public long Keys => Volatile.Read(ref _keys);

    /// <summary>Whether the one that is being written is to end.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    public void AddKeys(int count) => Interlocked.Add(ref _keys, count);

    /// <summary>Begins one, unless one is being written.</summary>
    /// <param name="purpose">Why.</param>
    /// <param name="running">Why the one is written that is in the way.</param>
    /// <param name="task">Completes, whatever became of it, with why it failed or null.</param>
    public bool TryBegin(SnapshotPurpose purpose, out SnapshotPurpose running, out Task<Exception?> task)
    {
        lock (_gate)
        {
            task = Task.FromResult<Exception?>(null);
            running = _figures.Running ?? purpose;
            if (_figures.Running != null || _isClosed)
                return false;
            long before = changes();
            Volatile.Write(ref _keys, 0);
            _figures = With(_figures, purpose, _figures.Of(purpose) with { IsScheduled = false }) with
            {
                Running = purpose,
                RunningSinceMs = NowMs,
            };
            var done = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
            _current = task = done.Task;
            new Thread(() => Run(purpose, before, done)) { IsBackground = true, Name = "snapshot" }.Start();
            return true;
        }
    }

    /// <summary>Begins one as soon as none is being written.</summary>
    public void Schedule(SnapshotPurpose purpose)
    {
        lock (_gate)
            _figures = With(_figures, purpose, _figures.Of(purpose) with { IsScheduled = true });
        BeginScheduled();
    }

    /// <summary>Begins none any more, and completes when none is being written.</summary>
    public Task CloseAsync()
    {
        lock (_gate)
        {
            Volatile.Write(ref _isClosed, true);
            return _current;
        }
    }

    /// <summary>Completes when the one is over that is being written.</summary>
    public Task CurrentAsync()
    {
        lock (_gate)
            return _current;
    }

    private long NowMs => time.GetUtcNow().ToUnixTimeMilliseconds();

    private void Run(SnapshotPurpose purpose, long changesBefore, TaskCompletionSource<Exception?> done)
    {
        long start = time.GetTimestamp();
        Exception? failure = null;
        try
        {
            write(purpose);
        }
#pragma warning disable CA1031 // It is told, and all is as before.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }

        lock (_gate)
            _figures = AfterRun(purpose, changesBefore, time.GetElapsedTime(start), failure);
        Ended?.Invoke(purpose, failure);
        done.SetResult(failure);
        BeginScheduled();
    }

    private SnapshotFigures AfterRun(
        SnapshotPurpose purpose, long changesBefore, TimeSpan duration, Exception? failure)
    {
        var outcome = _figures.Of(purpose);
        outcome = outcome with
        {
            Count = outcome.Count + (failure == null ? 1 : 0),
            Failures = failure == null ? 0 : outcome.Failures + 1,
            Failure = failure,
            Duration = duration,
            EndedMs = NowMs,
        };
        var figures = With(_figures, purpose, outcome) with { Running = null };
        return failure != null ? figures : figures with { LastMs = NowMs, ChangesAtLast = changesBefore };
    }

    private void BeginScheduled()
    {
        var figures = Figures;
        if (figures.Rewrite.IsScheduled)
            TryBegin(SnapshotPurpose.Rewrite, out _, out _);
        else if (figures.Save.IsScheduled)
            TryBegin(SnapshotPurpose.Save, out _, out _);
    }

    private static SnapshotFigures With(SnapshotFigures figures, SnapshotPurpose purpose, SnapshotOutcome outcome) =>
        purpose == SnapshotPurpose.Save ? figures with { Save = outcome } : figures with { Rewrite = outcome };
}
