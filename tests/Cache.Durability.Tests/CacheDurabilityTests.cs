using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests;

/// <summary>What a user of the package sees: modes, starts and stops.</summary>
public sealed class CacheDurabilityTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(DurabilityMode.Off, false)]
    [InlineData(DurabilityMode.Restart, true)]
    [InlineData(DurabilityMode.Snapshot, true)]
    [InlineData(DurabilityMode.Journal, true)]
    public async Task Start_AfterACleanStop_HasWhatTheModeKeeps(DurabilityMode mode, bool isKept)
    {
        await using (var first = await StartAsync(mode))
            first.Store.Set("a"u8, "1"u8);
        await using var second = await StartAsync(mode);
        Assert.Equal(isKept, second.Store.Contains("a"u8));
        Assert.Equal(mode, second.Durability.GetStatus().Mode);
    }

    // The files are closed as they should be, but have not what the store held.
    [Fact]
    public async Task Stop_LastSnapshotCannotBeWritten_IsTold()
    {
        var kept = await StartAsync(DurabilityMode.Snapshot);
        kept.Store.Set("a"u8, "1"u8);
        Directory.CreateDirectory(
            Path.Combine(_folder.Path, FileNames.SnapshotOf(1) + FileNames.TemporaryEnding)); // In its way.
        await kept.DisposeAsync();
        string? reason = kept.Durability.GetStatus().StopFailedBecause;
        Assert.Contains(FileNames.SnapshotOf(1), reason, StringComparison.Ordinal);
        Assert.NotEqual(ManifestState.Open, ManifestFile.Read(new SystemDirectory(_folder.Path))!.State);
    }

    // Another mode reads what the one before has left.
    [Theory]
    [InlineData(DurabilityMode.Journal, DurabilityMode.Snapshot)]
    [InlineData(DurabilityMode.Snapshot, DurabilityMode.Journal)]
    [InlineData(DurabilityMode.Restart, DurabilityMode.Journal)]
    [InlineData(DurabilityMode.Journal, DurabilityMode.Restart)]
    public async Task Start_InAnotherMode_LoadsToo(DurabilityMode before, DurabilityMode after)
    {
        await using (var first = await StartAsync(before))
            first.Store.Set("a"u8, "1"u8);
        await using (var second = await StartAsync(after))
        {
            Assert.True(second.Store.Contains("a"u8));
            second.Store.Set("b"u8, "1"u8);
        }

        await using var third = await StartAsync(before);
        Assert.True(third.Store.Contains("a"u8));
        Assert.True(third.Store.Contains("b"u8));
    }

    // An application is not to fail with its cache.
    [Fact]
    public void Options_Default_LetWritesGoOnWithoutADisk() =>
        Assert.False(new DurabilityOptions().RefusesWritesOnError);

    [Fact]
    public async Task Save_WhileOthersUseTheStore_IsTold()
    {
        await using var kept = await StartAsync(DurabilityMode.Journal);
        kept.Store.Set("a"u8, "1"u8);
        Assert.Equal(1, kept.Durability.GetStatus().ChangesSinceSave);
        await kept.Durability.SaveAsync(Cancellation);
        var status = kept.Durability.GetStatus();
        Assert.Equal(0, status.ChangesSinceSave);
        Assert.NotNull(status.LastSave);
        Assert.NotEqual(0, status.SnapshotBytes);
        Assert.Null(status.SaveFailedBecause);
    }

    [Fact]
    public async Task Save_SeveralAtOnce_AreWrittenOneAfterTheOther()
    {
        await using var kept = await StartAsync(DurabilityMode.Snapshot);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => kept.Durability.SaveAsync(Cancellation)));
        Assert.Equal(4, kept.Durability.SnapshotJobs!.Figures.Save.Count);
    }

    [Fact]
    public async Task Save_BeforeTheStartOrAfterTheStop_IsRefused()
    {
        var kept = Create(DurabilityMode.Journal);
        await Assert.ThrowsAsync<InvalidOperationException>(() => kept.Durability.SaveAsync(Cancellation));
        await kept.Durability.StartAsync(Cancellation);
        await kept.DisposeAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(() => kept.Durability.SaveAsync(Cancellation));
        await Assert.ThrowsAsync<InvalidOperationException>(() => kept.Durability.StartAsync(Cancellation));
    }

    [Fact]
    public async Task Wait_WhereEachWriteIsSynced_CompletesWhenItIs()
    {
        await using var kept = await StartAsync(DurabilityMode.Journal, static o => o.Sync = SyncPolicy.Always);
        for (int i = 0; i < 20; i++)
        {
            kept.Store.Set("a"u8, [(byte)i]);
            await kept.Durability.WaitAsync();
        }

        Assert.True(kept.Durability.GetStatus().JournalBytes > 0);
    }

    // Whoever waits is not left to a system that syncs when it pleases.
    [Theory]
    [InlineData(SyncPolicy.Always)]
    [InlineData(SyncPolicy.EverySecond)]
    [InlineData(SyncPolicy.No)]
    public async Task Wait_WhileThePolicyBecomesNo_Completes(SyncPolicy policy)
    {
        await using var kept = await StartAsync(DurabilityMode.Journal, o => o.Sync = policy);
        for (int i = 0; i < 10; i++)
        {
            kept.Store.Set("a"u8, [(byte)i]);
            var wait = kept.Durability.WaitAsync().AsTask();
            kept.Durability.Sync = SyncPolicy.No;
            await wait.WaitAsync(TimeSpan.FromMinutes(1), Cancellation);
            kept.Durability.Sync = policy;
        }
    }

    [Fact]
    public async Task Stop_BeforeTheFirstSnapshotOfAJournal_WritesIt()
    {
        await using (var kept = await StartAsync(DurabilityMode.Snapshot, static o => o.SavePoints = []))
        {
            await kept.Durability.SaveAsync(Cancellation);
            kept.Durability.Durable!.Written = static _ => throw new IOException("full");
            kept.Store.Set("a"u8, "1"u8);
            Assert.True(kept.Durability.TryRecord(true));
            await kept.Durability.SnapshotJobs!.CurrentAsync();
            Assert.NotNull(kept.Durability.SnapshotJobs.Figures.Rewrite.Failure);
        }

        await using var after = await StartAsync(DurabilityMode.Journal);
        Assert.True(after.Store.Contains("a"u8));
    }

    // The snapshot ends unfinished, and leaves nothing; what the mode promises is kept all the same.
    [Theory]
    [InlineData(DurabilityMode.Restart)]
    [InlineData(DurabilityMode.Snapshot)]
    [InlineData(DurabilityMode.Journal)]
    public async Task Stop_WhileASnapshotIsWritten_EndsItAndKeepsAll(DurabilityMode mode)
    {
        await using (var kept = await StartAsync(mode))
        {
            kept.Store.Set("a"u8, "1"u8);
            using var mayEnd = new ManualResetEventSlim();
            var hasBegun = Hold(kept.Durability, mayEnd);
            var saving = kept.Durability.SaveAsync(Cancellation);
            await hasBegun;
            kept.Store.Set("b"u8, "1"u8);
            var stopping = kept.Durability.StopAsync(Cancellation);
            while (!kept.Durability.SnapshotJobs!.IsClosed)
                await Task.Yield();
            mayEnd.Set();
            await Assert.ThrowsAnyAsync<Exception>(() => saving);
            await stopping;
            Assert.Equal(1, kept.Durability.SnapshotJobs.Figures.Save.Failures);
        }

        Assert.DoesNotContain(Directory.GetFiles(_folder.Path), static name => name.EndsWith(".tmp"));
        await using var after = await StartAsync(mode);
        Assert.Equal(["a", "b"], after.Store.ScanAll(10).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Reload_WhileASnapshotIsWritten_WaitsForIt(bool saves)
    {
        await using var kept = await StartAsync(DurabilityMode.Journal);
        kept.Store.Set("a"u8, "1"u8);
        using var mayEnd = new ManualResetEventSlim();
        var hasBegun = Hold(kept.Durability, mayEnd);
        var saving = kept.Durability.SaveAsync(Cancellation);
        await hasBegun;
        var reloading = Task.Run(() => kept.Durability.TryReload(saves), Cancellation);
        await Task.Delay(100, Cancellation);
        Assert.False(reloading.IsCompleted);
        mayEnd.Set();
        await saving;
        Assert.True(await reloading);
        Assert.True(kept.Store.Contains("a"u8));
        Assert.True(kept.Durability.IsRecording);
    }

    [Fact]
    public async Task Stop_WhileReloading_ClosesWhatWasLoaded()
    {
        await using (var kept = await StartAsync(DurabilityMode.Journal))
        {
            kept.Store.Set("a"u8, "1"u8);
            Assert.True(kept.Durability.TryChangeDatabases([0]));
            using var mayEnd = new ManualResetEventSlim();
            using var hasBegun = new ManualResetEventSlim();
            kept.Durability.Loaded = _ =>
            {
                hasBegun.Set();
                mayEnd.Wait();
            };
            var reloading = Task.Run(() => kept.Durability.TryReload(saves: false), Cancellation);
            hasBegun.Wait(Cancellation);
            var stopping = Task.Run(() => kept.Durability.StopAsync(Cancellation), Cancellation);
            while (!kept.Durability.SnapshotJobs!.IsClosed)
                await Task.Yield();
            Assert.False(stopping.IsCompleted);
            mayEnd.Set();
            await stopping;
            Assert.True(await reloading);
            Assert.False(kept.Durability.TryReload(saves: false));
        }

        await using var after = await StartAsync(DurabilityMode.Journal);
        Assert.True(after.Store.Contains("a"u8));
    }

    [Fact]
    public async Task Stop_AfterIt_OpensNoFolder()
    {
        string path = Path.Combine(_folder.Path, "store");
        await using var kept = await StartAsync(
            DurabilityMode.Snapshot, o => (o.SavePoints, o.Directory) = ([], path));
        await kept.Durability.StopAsync(Cancellation);
        Assert.False(kept.Durability.TryRecord(true));
        Assert.False(Directory.Exists(path));
    }

    // A person makes room on the disk, and starts it again.
    [Fact]
    public async Task Stop_WhileSuspended_TriesNewFilesOnceMore()
    {
        await using (var kept = await StartAsync(DurabilityMode.Journal))
        {
            kept.Store.Set("a"u8, "1"u8);
            kept.Durability.Durable!.Journal.Fail(new IOException("full"));
        }

        await using var after = await StartAsync(DurabilityMode.Journal);
        Assert.True(after.Store.Contains("a"u8));
    }

    [Fact]
    public async Task Start_FolderCannotBeMade_IsAnErrorOfInputAndOutput()
    {
        if (!OperatingSystem.IsLinux())
            return; // There is no folder that takes none whoever asks.
        await using var kept = Create(DurabilityMode.Journal, static o => o.Directory = "/sys/cache-test");
        await Assert.ThrowsAnyAsync<IOException>(() => kept.Durability.StartAsync(Cancellation));
    }

    [Fact]
    public async Task Start_FolderIsInUse_NamesTheProcess()
    {
        await using var first = await StartAsync(DurabilityMode.Journal);
        await using var second = Create(DurabilityMode.Journal);
        var refused = await Assert.ThrowsAsync<DirectoryLockedException>(
            () => second.Durability.StartAsync(Cancellation));
        Assert.Contains($"process {Environment.ProcessId}", refused.Message, StringComparison.Ordinal);
        Assert.False(second.Durability.GetStatus().IsLoading);
    }

    [Fact]
    public async Task Start_StoreHasEntries_IsRefused()
    {
        await using var kept = Create(DurabilityMode.Journal);
        kept.Store.Set("a"u8, "1"u8);
        await Assert.ThrowsAsync<InvalidOperationException>(() => kept.Durability.StartAsync(Cancellation));
    }

    [Fact]
    public async Task Start_Cancelled_EndsTheLoad()
    {
        await using (var first = await StartAsync(DurabilityMode.Journal))
            first.Store.Set("a"u8, "1"u8);
        await using var second = Create(DurabilityMode.Journal);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => second.Durability.StartAsync(new CancellationToken(canceled: true)));
    }

    // Its zeros take a while to write: no client is to wait for that.
    [Fact]
    public async Task Start_WithAJournal_HasItsFirstFile()
    {
        await using var kept = await StartAsync(DurabilityMode.Journal);
        string file = Assert.Single(Directory.GetFiles(_folder.Path, "jrnl-*"));
        Assert.Equal(64 << 20, new FileInfo(file).Length);
        kept.Store.Set("a"u8, "1"u8);
        await kept.Durability.WaitAsync();
        Assert.Single(Directory.GetFiles(_folder.Path, "jrnl-*"));
    }

    // A folder is made when something is to be kept.
    [Fact]
    public async Task Start_NothingIsToBeSaved_MakesNoFolder()
    {
        string path = Path.Combine(_folder.Path, "store");
        await using (var kept = await StartAsync(
            DurabilityMode.Snapshot, o => (o.SavePoints, o.Directory) = ([], path)))
        {
            kept.Store.Set("a"u8, "1"u8);
            Assert.False(Directory.Exists(path));
            await kept.Durability.SaveAsync(Cancellation);
            if (!OperatingSystem.IsWindows()) // Nobody else may read it.
            {
                const UnixFileMode Others = UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute
                    | UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;
                Assert.Equal(UnixFileMode.None, File.GetUnixFileMode(path) & Others);
            }

            kept.Store.Set("b"u8, "1"u8);
        }

        await using var after = await StartAsync(
            DurabilityMode.Snapshot, o => (o.SavePoints, o.Directory) = ([], path));
        Assert.True(after.Store.Contains("a"u8));
        Assert.False(after.Store.Contains("b"u8));
    }

    [Fact]
    public async Task Record_BegunAndEnded_KeepsWhatWasWrittenMeanwhile()
    {
        await using (var kept = await StartAsync(DurabilityMode.Snapshot, static o => o.SavePoints = []))
        {
            kept.Store.Set("before"u8, "1"u8);
            Assert.True(kept.Durability.TryRecord(true));
            Assert.Equal(DurabilityMode.Journal, kept.Durability.GetStatus().Mode);
            kept.Store.Set("meanwhile"u8, "1"u8);
            await kept.Durability.SnapshotJobs!.CurrentAsync();
            Assert.True(kept.Durability.TryRecord(false));
            kept.Store.Set("behind"u8, "1"u8);
        }

        await using var after = await StartAsync(DurabilityMode.Journal);
        Assert.Equal(["before", "meanwhile"], after.Store.ScanAll(10).Order(StringComparer.Ordinal));
    }

    // What is open can still be written; the next file cannot be made.
    [Fact]
    public async Task Heal_FolderWasRemoved_IsNamed()
    {
        string folder = Path.Combine(_folder.Path, "kept");
        await using var kept = await StartAsync(DurabilityMode.Journal, options => options.Directory = folder);
        kept.Store.Set("a"u8, "1"u8);
        Directory.Move(folder, folder + ".gone");
        kept.Durability.Durable!.Journal.Fail(new IOException("a disk's error"));
        Assert.False(kept.Durability.Durable!.TryHeal());
        Assert.Contains(folder, kept.Durability.GetStatus().SuspendedBecause, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Start_UsesSharedMemory_AsTheOptionSays(bool isUsed)
    {
        if (!OperatingSystem.IsLinux())
            return;
        string path;
        await using (await StartAsync(DurabilityMode.Journal, options => options.UsesSharedMemory = isUsed))
        {
            ulong store = ManifestFile.Read(new SystemDirectory(_folder.Path))!.StoreId;
            path = SharedRing.PathOf("/dev/shm", _folder.Path, store);
            Assert.Equal(isUsed, File.Exists(path));
        }

        Assert.False(File.Exists(path));
    }

    // Else the bar of a start stands near 0, and is full a moment later.
    [Fact]
    public async Task Start_JournalThatIsNearlyEmpty_CountsWhatIsInIt()
    {
        await using (var kept = await StartAsync(DurabilityMode.Journal))
        {
            for (int i = 0; i < 30; i++)
            {
                kept.Store.Set("key"u8, new byte[30_000]);
                await kept.Durability.WaitAsync();
            }
        }

        await using var after = await StartAsync(DurabilityMode.Journal);
        var status = after.Durability.GetStatus();
        Assert.InRange(status.LoadTotalBytes, status.LoadedBytes, status.LoadedBytes + (1 << 20));
    }

    // A misspelt one would be made, and the next start would not find the files.
    [Fact]
    public async Task TryRecord_FolderAboveIsMissing_IsRefused()
    {
        string parent = Path.Combine(_folder.Path, "misspelt");
        await using var kept = await StartAsync(DurabilityMode.Snapshot, options =>
        {
            options.Directory = Path.Combine(parent, "appendonlydir");
            options.SavePoints = [];
            options.NeedsParent = true;
        });
        Assert.False(kept.Durability.TryRecord(true));
        Assert.False(Directory.Exists(parent));
        Directory.CreateDirectory(parent);
        Assert.True(kept.Durability.TryRecord(true));
    }

    [Fact]
    public void Options_OutOfRange_AreNamed()
    {
        var options = new DurabilityOptions
        {
            Mode = (DurabilityMode)9,
            JournalGrowthPercent = -1,
            SavePoints = [new SavePoint(0, 1)],
            LoadMaxAge = TimeSpan.Zero,
            SnapshotBytesPerSecondMax = 1,
        };
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20 });
        var refused = Assert.Throws<ArgumentException>(() => new CacheDurability(store, options));
        string[] names =
        [
            "Mode", "Directory", "JournalGrowthPercent", "SavePoints", "LoadMaxAge", "SnapshotBytesPerSecondMax",
        ];
        foreach (string name in names)
            Assert.Contains($"DurabilityOptions.{name} is", refused.Message, StringComparison.Ordinal);
    }

    // Its next snapshot stops behind its first entries.
    private static Task Hold(CacheDurability durability, ManualResetEventSlim mayEnd)
    {
        var hasBegun = new TaskCompletionSource();
        var durable = durability.Durable!;
        var written = durable.Written!;
        durable.Written = count =>
        {
            hasBegun.TrySetResult();
            mayEnd.Wait();
            written(count);
        };
        return hasBegun.Task;
    }

    private Kept Create(DurabilityMode mode, Action<DurabilityOptions>? configure = null)
    {
        var options = new DurabilityOptions { Mode = mode, Directory = _folder.Path };
        configure?.Invoke(options);
        return new Kept(options);
    }

    private async Task<Kept> StartAsync(DurabilityMode mode, Action<DurabilityOptions>? configure = null)
    {
        var kept = Create(mode, configure);
        await kept.Durability.StartAsync(Cancellation);
        return kept;
    }

    private sealed class Kept : IAsyncDisposable
    {
        public Kept(DurabilityOptions options) => Durability = new CacheDurability(Store, options);

        public CacheStore Store { get; } = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

        public CacheDurability Durability { get; }

        public async ValueTask DisposeAsync()
        {
            await Durability.DisposeAsync();
            Store.Dispose();
        }
    }
}
