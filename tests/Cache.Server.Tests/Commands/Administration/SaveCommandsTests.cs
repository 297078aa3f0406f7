using Cache.Core;
using Cache.Durability;
using Cache.Durability.Control;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>Commands of a server that keeps its store on disk.</summary>
public sealed class SaveCommandsTests : ConnectionTestBase, IAsyncLifetime
{
    // What takes longer never ends.
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    private readonly string _folder = Directory.CreateTempSubdirectory("cache-test-").FullName;
    private readonly List<string> _stops = [];
    private CacheDurability? _durability;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        if (_durability is not null)
            await _durability.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task Save_OfAStore_IsThereAfterAStart()
    {
        await using (var server = await StartAsync(DurabilityMode.Snapshot))
        {
            var client = server.Connect();
            client.Exchange(Request("SET", "a", "1"));
            Assert.Equal("+OK\r\n", await RunAsync(client, "+OK\r\n".Length, "SAVE"));
            client.Exchange(Request("SET", "b", "1"));
        }

        await _durability!.DisposeAsync();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, Clock);
        await using var after = new CacheDurability(store, OptionsOf(DurabilityMode.Snapshot));
        await after.StartAsync(TestContext.Current.CancellationToken);
        Assert.Equal(1, store.Count);
    }

    [Fact]
    public async Task BackgroundSave_AndRewrite_SayAsRedis()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        var jobs = _durability!.SnapshotJobs!;
        Assert.Equal("+Background saving started\r\n", client.Exchange(Request("BGSAVE")));
        await jobs.CurrentAsync();
        Assert.Equal(
            "+Background append only file rewriting started\r\n", client.Exchange(Request("BGREWRITEAOF")));
        await jobs.CurrentAsync();
        Assert.Equal((1, 1), (jobs.Figures.Save.Count, jobs.Figures.Rewrite.Count));
        Assert.Equal($":{Store.NowMs / 1000}\r\n", client.Exchange(Request("LASTSAVE")));
        Assert.Equal("-ERR syntax error\r\n", client.Exchange(Request("BGSAVE", "NOW")));
    }

    [Fact]
    public async Task BackgroundSave_WhileOneIsWritten_IsRefusedOrScheduled()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        var jobs = _durability!.SnapshotJobs!;
        using var mayEnd = new ManualResetEventSlim();
        _durability.Durable!.Written = _ => mayEnd.Wait();
        client.Exchange(Request("SET", "a", "1"));
        try
        {
            client.Exchange(Request("BGREWRITEAOF"));
            Assert.Equal(
                "-ERR Background append only file rewriting already in progress\r\n",
                client.Exchange(Request("BGREWRITEAOF")));
            Assert.Equal(
                "-ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to "
                + "schedule a BGSAVE whenever possible.\r\n",
                client.Exchange(Request("BGSAVE")));
            Assert.Equal("+Background saving scheduled\r\n", client.Exchange(Request("BGSAVE", "SCHEDULE")));
        }
        finally
        {
            mayEnd.Set();
        }

        await Polling.WhileAsync(() => jobs.Figures.Save.Count == 0);
    }

    [Fact]
    public async Task Write_AfterASnapshotFailed_IsRefusedWithRedisWords()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot, points: [new SavePoint(3600, 1)]);
        var client = server.Connect();
        await FailSaveAsync(client);
        const string Misconf =
            "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. "
            + "Commands that may modify the data set are disabled, because this instance is configured to report "
            + "errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the "
            + "Redis logs for details about the RDB error.\r\n";
        Assert.Equal(Misconf, client.Exchange(Request("SET", "a", "1")));
        Assert.Equal(Misconf, client.Exchange(Request("PING")));
        Assert.Equal("$-1\r\n", client.Exchange(Request("GET", "a")));
        Assert.Equal(
            "+OK\r\n", client.Exchange(Request("CONFIG", "SET", "stop-writes-on-bgsave-error", "no")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("SET", "a", "1")));
    }

    [Fact]
    public async Task Shutdown_SnapshotFails_IsRefusedUnlessForced()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot, points: [new SavePoint(3600, 1)]);
        var client = server.Connect();
        Break();
        const string Error = "-ERR Errors trying to SHUTDOWN. Check logs.\r\n";
        Assert.Equal(Error, await RunAsync(client, Error.Length, "SHUTDOWN"));
        Assert.Empty(_stops);
        client.Send(Request("SHUTDOWN", "FORCE"));
        await Polling.WhileAsync(() => _stops.Count == 0);
    }

    [Fact]
    public async Task ConfigSet_AppendOnly_BeginsAndEndsTheJournal()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot, points: []);
        var client = server.Connect();
        client.Exchange(Request("SET", "a", "1"));
        string get = Request("CONFIG", "GET", "appendonly");
        Assert.Equal("*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n", client.Exchange(get));
        Assert.Equal("+OK\r\n", client.Exchange(Request("CONFIG", "SET", "appendonly", "yes")));
        Assert.Equal("*2\r\n$10\r\nappendonly\r\n$3\r\nyes\r\n", client.Exchange(get));
        await _durability!.SnapshotJobs!.CurrentAsync();
        Assert.True(_durability.Durable!.Journal.IsListed);
        Assert.Equal("+OK\r\n", client.Exchange(Request("CONFIG", "SET", "appendonly", "no")));
        Assert.False(_durability.IsRecording);
    }

    [Fact]
    public async Task ConfigSet_AppendOnlyAsItIs_WritesNoFurtherSnapshot()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot);
        var client = server.Connect();
        for (int i = 0; i < 2; i++)
        {
            client.Exchange(Request("CONFIG", "SET", "appendonly", "yes"));
            await _durability!.SnapshotJobs!.CurrentAsync();
        }

        Assert.Equal(1, _durability!.SnapshotJobs!.Figures.Rewrite.Count);
    }

    [Fact]
    public async Task ConfigSet_AppendOnlyWhileASnapshotIsWritten_KeepsNobodyElseWaiting()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var (client, other) = (server.Connect(), server.Connect());
        using var mayEnd = new ManualResetEventSlim();
        _durability!.Durable!.Written = _ => mayEnd.Wait();
        try
        {
            client.Exchange(Request("BGSAVE"));
            var sending = Task.Run(() => client.Send(Request("CONFIG", "SET", "appendonly", "no")), Cancellation);
            await sending.WaitAsync(_patience, Cancellation);
            Assert.Equal("+OK\r\n", other.Exchange(Request("CONFIG", "SET", "maxmemory-samples", "6")));
        }
        finally
        {
            mayEnd.Set();
        }

        byte[] reply = await client.ReadAsync("+OK\r\n".Length, Cancellation);
        Assert.Equal("+OK\r\n", System.Text.Encoding.Latin1.GetString(reply));
        Assert.False(_durability.IsRecording);
    }

    // Others write until the stop.
    [Fact]
    public async Task Shutdown_Save_KeepsWhatIsWrittenBehindTheSnapshot()
    {
        await using (var server = await StartAsync(DurabilityMode.Snapshot))
        {
            server.Connect().Send(Request("SHUTDOWN", "SAVE"));
            await Polling.WhileAsync(() => _stops.Count == 0);
            Store.Set("late"u8, "1"u8);
        }

        await _durability!.DisposeAsync();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, Clock);
        await using var after = new CacheDurability(store, OptionsOf(DurabilityMode.Snapshot));
        await after.StartAsync(TestContext.Current.CancellationToken);
        Assert.True(store.Contains("late"u8));
    }

    // As in Redis, which ends the child and saves itself.
    [Fact]
    public async Task Shutdown_WhileASnapshotIsWritten_ReplacesIt()
    {
        await using (var server = await StartAsync(DurabilityMode.Snapshot, points: [new SavePoint(3600, 10_000)]))
        {
            var client = server.Connect();
            var written = _durability!.Durable!.Written!;
            using var mayEnd = new ManualResetEventSlim();
            _durability.Durable.Written = count =>
            {
                mayEnd.Wait();
                written(count);
            };
            client.Exchange(Request("SET", "a", "1"));
            client.Exchange(Request("BGSAVE"));
            server.Connect().Send(Request("SHUTDOWN", "SAVE"));
            await Polling.WhileAsync(() => !_durability.SnapshotJobs!.MustStop);
            mayEnd.Set();
            await Polling.WhileAsync(() => _stops.Count == 0);
            Assert.Equal(1, _durability!.SnapshotJobs!.Figures.Save.Count);
            Assert.Equal(0, _durability.SnapshotJobs.Figures.Save.Failures);
        }

        await _durability!.DisposeAsync();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, Clock);
        await using var after = new CacheDurability(store, OptionsOf(DurabilityMode.Snapshot));
        await after.StartAsync(TestContext.Current.CancellationToken);
        Assert.True(store.Contains("a"u8));
    }

    // Or it would be there again after a crash.
    [Fact]
    public async Task FlushAll_WithSavePoints_WritesASnapshot()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot, points: [new SavePoint(3600, 10_000)]);
        var client = server.Connect();
        client.Exchange(Request("FLUSHDB"));
        client.Exchange(Request("SET", "a", "1"));
        Assert.Equal("+OK\r\n", client.Exchange(Request("FLUSHALL")));
        await _durability!.SnapshotJobs!.CurrentAsync();
        Assert.Equal(1, _durability.SnapshotJobs.Figures.Save.Count);
    }

    [Fact]
    public async Task Save_AfterTheFilesWereClosed_IsRefused()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot);
        await _durability!.StopAsync(TestContext.Current.CancellationToken);
        var saving = RunAsync(server.Connect(), "-ERR\r\n".Length, "SAVE");
        Assert.Equal("-ERR\r\n", await saving.WaitAsync(_patience, Cancellation));
    }

    [Fact]
    public async Task Save_WhereNothingIsKept_IsRefused()
    {
        await using var server = await StartAsync();
        foreach (string command in new[] { "SAVE", "BGSAVE", "BGREWRITEAOF" })
            Assert.Equal("-ERR this server keeps nothing on disk\r\n", server.Connect().Exchange(Request(command)));
    }

    private DurabilityOptions OptionsOf(DurabilityMode mode) =>
        new() { Mode = mode, Directory = Path.Combine(_folder, "store"), SavePoints = [] };

    private async Task<InMemoryServer> StartAsync(DurabilityMode mode, IReadOnlyList<SavePoint>? points = null)
    {
        var options = OptionsOf(mode);
        options.SavePoints = points ?? [];
        _durability = new CacheDurability(Store, options);
        return await StartAsync(new RespServerOptions
        {
            Durability = _durability,
            ShutdownRequested = () => _stops.Add(""),
        });
    }

    // Its folder is a file from now on.
    private void Break()
    {
        string folder = Path.Combine(_folder, "store");
        Directory.Move(folder, folder + ".gone");
        File.WriteAllText(folder, "");
    }

    private async Task FailSaveAsync(InMemoryClient client)
    {
        Break();
        client.Exchange(Request("BGSAVE"));
        await _durability!.SnapshotJobs!.CurrentAsync();
        Assert.NotNull(_durability.SnapshotJobs.Figures.Save.Failure);
    }

    private static async Task<string> RunAsync(InMemoryClient client, int length, params string[] request)
    {
        client.Send(Request(request));
        byte[] reply = await client.ReadAsync(length, TestContext.Current.CancellationToken);
        return System.Text.Encoding.Latin1.GetString(reply);
    }
}
