using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Control;
using Cache.Durability.Files;
using Cache.Durability.Journaling;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Durability;

/// <summary>Keeps the entries of a <see cref="CacheStore"/> in files, so that they survive its process.</summary>
/// <remarks>
/// Starts once and stops once; the caller still owns the store. The start loads the files into the store, which must be
/// empty and not in use before; <c>AddCacheDurability</c> does that before the host starts. Stop it before you dispose
/// the store: the last changes are written then. All members are thread-safe.
/// <para>
/// <c>AddCacheDurability</c> has a meter, <see cref="MeterName"/>, with the observed instruments
/// <c>cache.journal.size</c>, <c>cache.journal.suspended</c> (1 while it cannot be written),
/// <c>cache.journal.suspensions</c>, <c>cache.snapshot.size</c>, <c>cache.snapshots</c> and
/// <c>cache.changes_since_snapshot</c>.
/// </para>
/// <example><code>
/// await using var durability = new CacheDurability(store, new DurabilityOptions { Directory = "/var/lib/app/cache" });
/// await durability.StartAsync(cancellationToken);
/// </code></example>
/// </remarks>
public sealed partial class CacheDurability : IAsyncDisposable, IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Cache.Durability";

    private static readonly TimeSpan s_progressPeriod = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_tick = TimeSpan.FromSeconds(1);

    // The suffix of the file that names Redis's own files.
    private const string RedisManifestEnding = ".aof.manifest";

    private readonly CacheStore _store;
    private readonly DurabilityOptions _options;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stopping = new();
    private readonly ManualResetEventSlim _stopped = new();
    private readonly Lock _gate = new();

    // Held while files are opened or closed after the start; taken before the gate.
    private readonly Lock _openTurn = new();
    private readonly LoadProgress _progress;
    private readonly SnapshotPace _pace;

    // Written by the start and under the turn to open, read by any thread.
    private volatile DurableStore? _durable;
    private volatile SnapshotJobs? _jobs;
    private Task? _start;
    private Task? _stop;
    private Thread? _controller;
    private long _startMs;
    private volatile string? _stopFailure;

    private volatile bool _isLoading;

    // The store may have only a part of the files' entries: it must not be taken for complete.
    private volatile bool _hasFailed;

    /// <summary>Creates it; it does nothing before its start.</summary>
    /// <param name="store">The store, by any of its keyspaces: all are kept.</param>
    /// <param name="options">The options; later changes have no effect.</param>
    /// <param name="loggerFactory">Creates the log; null for none.</param>
    /// <exception cref="ArgumentException">An option is out of range; the message names each.</exception>
    public CacheDurability(CacheStore store, DurabilityOptions options, ILoggerFactory? loggerFactory = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfInvalid();
        _store = store;
        _options = options;
        _logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger<CacheDurability>();
        _progress = new LoadProgress { Cancellation = _stopping.Token };
        _savePoints = options.SavePoints
            ?? (options.Mode == DurabilityMode.Snapshot ? [new(3600, 1), new(300, 100), new(60, 10_000)] : []);
        _sync = options.Sync;
        _snapshotRate = options.SnapshotBytesPerSecondMax;
        _pace = new SnapshotPace(() => SnapshotRate, () => _jobs is { MustStop: true });
        _compressesSnapshots = options.CompressesSnapshots;
        _growthPercent = options.JournalGrowthPercent;
        _growthBytesMin = options.JournalGrowthBytesMin;
    }

    /// <summary>Loads the files into the store, and keeps changes from then on.</summary>
    /// <remarks>The second call waits for the first.</remarks>
    /// <param name="cancellationToken">Ends the load; the store then has a part of the files' entries.</param>
    /// <exception cref="IOException">
    /// Another process has the folder, its files are damaged, or cannot be read or written; the message says which.
    /// </exception>
    /// <exception cref="InvalidOperationException">The store has entries already, or this was stopped.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await using var cancellation = cancellationToken.Register(Cancel).ConfigureAwait(false);
        Announce();
        Task start;
        lock (_gate)
        {
            if (_stop != null)
                throw new InvalidOperationException("It was stopped.");
            _start ??= _options.Mode == DurabilityMode.Off
                ? Task.CompletedTask
                : Task.Factory.StartNew(
                    Start, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            start = _start;
        }

        await start.ConfigureAwait(false);
    }

    /// <summary>
    /// Writes what the mode needs at a clean stop, and unlocks the folder; later changes are not kept. Does nothing the
    /// second time, or before the start.
    /// </summary>
    /// <param name="cancellationToken">Has no effect: the promised data is written.</param>
    public Task StopAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_stop == null)
                _stopping.Cancel();
            return _stop ??= Task.Run(StopCoreAsync, CancellationToken.None);
        }
    }

    /// <summary>Stops it as <see cref="StopAsync"/> does.</summary>
    public async ValueTask DisposeAsync() => await StopAsync(CancellationToken.None).ConfigureAwait(false);

    /// <summary>Stops it as <see cref="StopAsync"/> does, and waits.</summary>
    public void Dispose() => StopAsync(CancellationToken.None).GetAwaiter().GetResult();

    /// <summary>The state of the files.</summary>
    public DurabilityStatus GetStatus()
    {
        var durable = _durable;
        var jobs = _jobs;
        var figures = jobs?.Figures ?? new SnapshotFigures();
        return new DurabilityStatus
        {
            Mode = Mode,
            IsLoading = _isLoading,
            LoadedBytes = _progress.LoadedBytes,
            LoadTotalBytes = _progress.TotalBytes,
            LoadedRecords = _progress.Records,
            StartNotes = durable == null ? [] : StartNotes.Of(durable),
            SuspendedBecause = Failure?.Message,
            ChangesSinceSave = ChangesSinceSave,
            IsSaving = figures.Running != null,
            LastSave = figures.LastMs == 0 ? null : DateTimeOffset.FromUnixTimeMilliseconds(figures.LastMs),
            StopFailedBecause = _stopFailure,
            SaveFailedBecause = (figures.Save.Failure ?? figures.Rewrite.Failure)?.Message,
            Snapshots = figures.Save.Count + figures.Rewrite.Count,
            Suspensions = SuspensionCount,
            JournalBytes = durable?.Journal.Bytes ?? 0,
            SnapshotBytes = durable?.Journal.SnapshotBytes ?? 0,
        };
    }

    /// <summary>
    /// Writes a snapshot of the store while other threads use it; it replaces all earlier files. If a snapshot is being
    /// written, this one begins after it.
    /// </summary>
    /// <exception cref="IOException">It could not be written; the earlier files stay valid.</exception>
    /// <exception cref="InvalidOperationException">This was not started, is loading, or was stopped.</exception>
    public async Task SaveAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            bool hasBegun = Jobs.TryBegin(SnapshotPurpose.Save, out _, out var task);
            ThrowIfStopped();
            var failure = await task.WaitAsync(cancellationToken).ConfigureAwait(false);
            if (!hasBegun)
            {
                await Jobs.CurrentAsync().WaitAsync(cancellationToken).ConfigureAwait(false);
                continue;
            }

            if (failure != null)
                throw failure as IOException ?? new IOException("The snapshot could not be written.", failure);
            return;
        }
    }

    /// <summary>
    /// Completes when all changes until now are durable; at once if the mode keeps no journal, or while it cannot be
    /// written and writes continue unrecorded (<see cref="DurabilityOptions.RefusesWritesOnError"/>).
    /// </summary>
    /// <exception cref="IOException">They never will be: the journal cannot be written.</exception>
    public ValueTask WaitAsync() => _durable is { IsRecording: true } durable ? durable.WaitAsync() : default;

    private void Cancel()
    {
        lock (_gate)
        {
            if (_stop == null)
                _stopping.Cancel();
        }
    }

    private SnapshotJobs Jobs =>
        _jobs ?? throw new InvalidOperationException("It was not started, or is loading, or keeps nothing.");

    private void ThrowIfStopped()
    {
        lock (_gate)
        {
            if (_stop != null)
                throw new InvalidOperationException("It was stopped.");
        }
    }

    // On a thread of its own.
    private void Start()
    {
        long begin = _store.TimeProvider.GetTimestamp();
        try
        {
            bool isLazy = Mode == DurabilityMode.Snapshot && _savePoints.Count == 0;
            if (isLazy && FindMarker() is null && !File.Exists(Path.Combine(_options.Directory, FileNames.Manifest)))
                DurabilityLog.NothingKept(_logger, Path.GetFullPath(_options.Directory));
            else
            {
                Open(isNew: false, Mode == DurabilityMode.Journal);
                LoadFunctions();
            }

            _jobs = new SnapshotJobs(_store.TimeProvider, ChangesSum, WriteSnapshot) { Ended = NoteEnded };
            _startMs = NowMs;
            _controller = new Thread(Control) { IsBackground = true, Name = "durability" };
            _controller.Start();
        }
        catch
        {
            _hasFailed = true;
            throw;
        }
        finally
        {
            _isLoading = false;
            UpdateServing();
        }

        LogLoaded(begin); // A reader of this line may rely on being served.
    }

    private void Open(bool isNew, bool isRecording)
    {
        MakeFolder();
        var directory = new SystemDirectory(_options.Directory);
        DurabilityLog.Loading(_logger, directory.Path);
        using var progress = _store.TimeProvider.CreateTimer(
            _ => LogProgress(), null, s_progressPeriod, s_progressPeriod);
        string? marker = isNew ? null : FindMarker();
        var options = new JournalOptions
        {
            Sync = _sync,
            RefusesWritesOnError = _options.RefusesWritesOnError,
            RefusesCutEnds = _options.RefusesCutEnds,
            RingFolder = OperatingSystem.IsLinux() ? StagedRecords.Folder : null,
            KeepsRing = _options.UsesSharedMemory,
            CompressesSnapshots = _compressesSnapshots,
        };
        var durable = DurableStore.Open(_store, directory, options, new StoreStart
        {
            Recovery = _options.Recovery,
            IsRecording = isRecording,
            IsNew = isNew,
            IsUsedOnce = _options.Mode == DurabilityMode.Restart,
            IgnoredEnding = marker == null ? null : IgnoredFiles.EndingOf(_store.TimeProvider.GetUtcNow()),
            MaxAge = _options.LoadMaxAge,
            Progress = _progress,
        });
        if (marker != null)
            RemoveMarker(marker);
        if (durable.Databases is { } keyspaces)
            Loaded?.Invoke(keyspaces);
        durable.Written = NoteWritten;
        durable.Pace = _pace.Wait;
        durable.Journal.StateChanged = NoteState;
        _durable = durable;
        Interlocked.MemoryBarrier(); // A change meanwhile is seen here, or sees the journal.
        durable.Journal.CompressesSnapshots = _compressesSnapshots;
        if (_sync != options.Sync) // The policy was changed during the load.
            durable.ChangeSync(_sync);
        if (directory.List().Any(static name => name.EndsWith(RedisManifestEnding, StringComparison.Ordinal)))
            DurabilityLog.RedisFiles(_logger, directory.Path);
        foreach (string note in StartNotes.Of(durable))
            DurabilityLog.StartNote(_logger, directory.Path, note);
    }

    private void LogLoaded(long begin)
    {
        if (_durable is not { } durable)
            return;
        DurabilityLog.Loaded(
            _logger, durable.LoadedRecords, _store.GetStatistics().Count,
            _store.TimeProvider.GetElapsedTime(begin).TotalSeconds);
    }

    /// <summary>Where a file asks the next start to load nothing: in the folder that the user has named.</summary>
    internal string MarkerPath
    {
        get
        {
            string folder = Path.GetFullPath(_options.Directory);
            return Path.Combine(_options.NeedsParent ? Path.GetDirectoryName(folder)! : folder, IgnoredFiles.Marker);
        }
    }

    private string? FindMarker() => File.Exists(MarkerPath) ? MarkerPath : null;

    // It works once. Where it stays, the next start puts the files of this one aside, which is told again.
    private void RemoveMarker(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            DurabilityLog.MarkerStays(_logger, path, e.Message);
        }
    }

    // Only the owner may read the files.
    private void MakeFolder()
    {
        string? parent = Path.GetDirectoryName(Path.GetFullPath(_options.Directory));
        if (_options.NeedsParent && parent != null && !Directory.Exists(parent))
            throw new IOException($"dir is '{parent}', which is no folder. Make it, or name another one.");
        try
        {
            if (OperatingSystem.IsWindows())
                Directory.CreateDirectory(_options.Directory);
            else
                Directory.CreateDirectory(
                    _options.Directory, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
        catch (Exception failure) when (failure is UnauthorizedAccessException or IOException)
        {
            throw new IOException(
                _options.NeedsParent
                    ? $"dir is '{parent}', in which no folder can be made: {failure.Message} Let this user write "
                        + "there, or name another one."
                    : failure.Message,
                failure);
        }
    }

    private async Task StopCoreAsync()
    {
        try
        {
            if (_start != null)
                await _start.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _stopped.Set();
            _controller?.Join();
            if (_jobs is { } jobs)
                await jobs.CloseAsync().ConfigureAwait(false);
            EndFunctions();
            lock (_openTurn)
            {
                if (_durable is { } durable)
                    Close(durable);
            }
        }
        finally
        {
            _stopped.Dispose();
            _stopping.Dispose();
        }
    }

    private void Close(DurableStore durable)
    {
        (durable.Written, durable.Pace) = (null, null);
        if (durable.IsRecording) // Else the next start would begin empty, although the entries still exist.
            durable.TryHeal();
        try
        {
            if (SavesAtStop(durable))
            {
                durable.Save();
                DurabilityLog.Saved(_logger, durable.Journal.SnapshotBytes);
            }
        }
        catch (Exception failure) when (failure is IOException or OutOfMemoryException or ObjectDisposedException)
        {
            _stopFailure = failure.Message;
            DurabilityLog.SaveFailed(_logger, failure.Message);
        }

        durable.Dispose();
        if (durable.Journal.Failure is not { } journalFailure)
            return;
        _stopFailure ??= journalFailure.Message;
        DurabilityLog.NotClosed(_logger, journalFailure.Message);
    }

    private void LogProgress()
    {
        if (_isLoading)
            DurabilityLog.Progress(_logger, _progress.LoadedBytes, _progress.TotalBytes, _progress.Records);
    }

    private long NowMs => _store.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();
}
