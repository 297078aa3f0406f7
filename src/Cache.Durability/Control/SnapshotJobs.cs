namespace Cache.Durability.Control;

/// <summary>Writes snapshots one after the other, each on its own thread, and keeps their outcomes.</summary>
/// <remarks>Thread-safe. The gate guards a few fields; it is never held while a snapshot is written.</remarks>
/// <param name="time">The clock.</param>
/// <param name="changes">Reads the number of changes since the start.</param>
/// <param name="write">Writes a snapshot; throws an <see cref="IOException"/> if it cannot.</param>
internal sealed class SnapshotJobs(TimeProvider time, Func<long> changes, Action<SnapshotPurpose> write)
{
    private readonly Lock _gate = new();
    private SnapshotFigures _figures = new();
    private Task _current = Task.CompletedTask;
    private long _keys;
    private bool _isClosed;
    private bool _isCanceled;

    // The actions that run alone, or wait for that.
    private int _aloneCount;

    /// <summary>Called when a snapshot has ended, with its error, on the thread that wrote it.</summary>
    public Action<SnapshotPurpose, Exception?>? Ended { get; set; }

    public SnapshotFigures Figures
    {
        get
        {
            lock (_gate)
                return _figures;
        }
    }

    /// <summary>The entries written so far into the present snapshot.</summary>
    public long Keys => Volatile.Read(ref _keys);

    /// <summary>Whether no more snapshots are written.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    /// <summary>Whether the present snapshot must stop.</summary>
    public bool MustStop => IsClosed || Volatile.Read(ref _isCanceled);

    public void AddKeys(int count) => Interlocked.Add(ref _keys, count);

    /// <summary>Begins a snapshot, unless one is being written.</summary>
    /// <param name="purpose">Its purpose.</param>
    /// <param name="running">The purpose of the one that is being written.</param>
    /// <param name="task">Completes at its end, with its error or null.</param>
    public bool TryBegin(SnapshotPurpose purpose, out SnapshotPurpose running, out Task<Exception?> task)
    {
        lock (_gate)
        {
            task = Task.FromResult<Exception?>(null);
            running = _figures.Running ?? purpose;
            if (_figures.Running != null || _isClosed || _aloneCount != 0)
                return false;
            long before = changes();
            Volatile.Write(ref _isCanceled, false);
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

    /// <summary>Begins a snapshot as soon as none is being written.</summary>
    public void Schedule(SnapshotPurpose purpose)
    {
        lock (_gate)
            _figures = With(_figures, purpose, _figures.Of(purpose) with { IsScheduled = true });
        BeginScheduled();
    }

    /// <summary>Stops the present snapshot, which fails: another one or a stop replaces it.</summary>
    public void Cancel()
    {
        lock (_gate)
            Volatile.Write(ref _isCanceled, _figures.Running != null);
    }

    /// <summary>Runs an action while no snapshot is being written, and begins none meanwhile.</summary>
    /// <exception cref="InvalidOperationException">This is closed.</exception>
    public void RunAlone(Action action)
    {
        var done = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task before;
        lock (_gate)
        {
            ThrowIfClosed();
            _aloneCount++;
            (before, _current) = (_current, done.Task); // One such action waits for the one before it.
        }

        try
        {
            before.GetAwaiter().GetResult();
            ThrowIfClosed();
            action();
        }
        finally
        {
            lock (_gate)
                _aloneCount--;
            done.SetResult(null);
            BeginScheduled();
        }
    }

    /// <summary>
    /// Begins nothing more, and completes when no snapshot is being written and no action runs alone.
    /// </summary>
    public Task CloseAsync()
    {
        lock (_gate)
        {
            Volatile.Write(ref _isClosed, true);
            return _current;
        }
    }

    /// <summary>Completes at the end of the present snapshot, or of the action that runs alone.</summary>
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
#pragma warning disable CA1031 // The failure is reported, and the files are as before.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }

        lock (_gate)
        {
            _figures = AfterRun(purpose, changesBefore, time.GetElapsedTime(start), failure);
            Volatile.Write(ref _isCanceled, false); // The snapshot that ends a suspension looks at it too.
        }

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

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(IsClosed, this);

    private static SnapshotFigures With(SnapshotFigures figures, SnapshotPurpose purpose, SnapshotOutcome outcome) =>
        purpose == SnapshotPurpose.Save ? figures with { Save = outcome } : figures with { Rewrite = outcome };
}
