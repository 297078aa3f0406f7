using System.Text;
using Cache.Core;
using Cache.Durability;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;
using Cache.Server.Statistics;
using Cache.Server.Tests.Commands;
using Cache.Server.Tests.Commands.Keys;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests;

/// <summary>What clients see of a server that loads files, or cannot write them.</summary>
public sealed class DurableServerTests : ConnectionTestBase, IAsyncLifetime
{
    private const string Misconf = "-MISCONF Errors writing to the AOF file: ";

    private readonly string _folder = Directory.CreateTempSubdirectory("cache-test-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public ValueTask DisposeAsync()
    {
        Directory.Delete(_folder, recursive: true);
        return default;
    }

    [Fact]
    public async Task SwapDatabases_WithAJournal_IsThereAfterAStart()
    {
        await using (var files = Create())
        await using (var server = await StartAsync(new RespServerOptions { Durability = files }))
        {
            var client = server.Connect();
            client.Exchange(Request("SET", "a", "1"));
            client.Send(Request("SWAPDB", "0", "5"));
            Assert.Equal("+OK\r\n", await ReadAsync(client, 5));
            client.Exchange(Request("SET", "b", "1"));
        }

        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, Clock);
        await using var filesAfter = Create(store);
        await using var after = await InMemoryServer.StartAsync(
            store, new RespServerOptions { Durability = filesAfter });
        var other = after.Connect();
        Assert.Equal(":0\r\n", other.Exchange(Request("EXISTS", "a")));
        Assert.Equal(":1\r\n", other.Exchange(Request("EXISTS", "b")));
        other.Exchange(Request("SELECT", "5"));
        Assert.Equal(":1\r\n", other.Exchange(Request("EXISTS", "a")));
    }

    // What a journal takes under a lock is less than the long ones have.
    [Theory]
    [InlineData(3)]
    [InlineData(500)]
    [InlineData(40_000)]
    public async Task Restore_WithAJournal_IsThereAfterAStart(int count)
    {
        string[] elements = [.. Enumerable.Range(0, count).Select(i => $"element:{i}")];
        using (var first = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 }, Clock))
        await using (var files = Create(first))
        await using (var server = await InMemoryServer.StartAsync(
            first, new RespServerOptions { Durability = files }))
        {
            var client = new CommandClient(server.Server.State);
            for (int i = 0; i < count; i += 1_000)
            {
                string[] some = [.. elements.Skip(i).Take(1_000)];
                client.Call(["RPUSH", "l", .. some]);
                client.Call(["SADD", "s", .. some]);
                foreach (string one in i == 0 ? some : [])
                    client.Call("XADD", "x", "*", "field", one);
            }

            client.Run("XGROUP CREATE x group 0");
            client.Run("XREADGROUP GROUP group one COUNT 2 STREAMS x >");
            foreach (string key in new[] { "l", "s", "x" })
            {
                string payload = TestPayload.Of(client.Call("DUMP", key));
                Assert.Equal("+OK\r\n", client.Call("RESTORE", key + "2", "0", payload));
                Assert.Equal("+OK\r\n", client.Call("RESTORE", key, "0", payload, "REPLACE"));
            }

            client.Run("LPUSH l2 first");
            client.Run("RPUSH l last");
        }

        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 }, Clock);
        await using var filesAfter = Create(store);
        await filesAfter.StartAsync(Cancellation);
        var after = new CommandClient(store);
        Assert.Equal($":{count + 1}\r\n", after.Run("LLEN l"));
        Assert.Equal($":{count + 1}\r\n", after.Run("LLEN l2"));
        Assert.Equal("*2\r\n$5\r\nfirst\r\n$9\r\nelement:0\r\n", after.Run("LRANGE l2 0 1"));
        Assert.Equal("$4\r\nlast\r\n", after.Run("LINDEX l -1"));
        Assert.Equal($":{count}\r\n", after.Run("SCARD s2"));
        Assert.Equal(after.Run("XRANGE x - +"), after.Run("XRANGE x2 - +"));
        Assert.Equal(after.Run("XPENDING x group"), after.Run("XPENDING x2 group"));
        Assert.StartsWith("*4\r\n:2\r\n", after.Run("XPENDING x2 group"), StringComparison.Ordinal);
        store.RequireWhole();
    }

    [Fact]
    public async Task Write_JournalCannotBeWritten_IsRefusedUntilItCan()
    {
        await using var files = Create();
        await using var server = await StartAsync(new RespServerOptions { Durability = files });
        var client = server.Connect();
        client.Exchange(Request("SET", "a", "1"));
        Suspend(files);
        Assert.StartsWith(Misconf, client.Exchange(Request("SET", "a", "2")), StringComparison.Ordinal);
        Assert.StartsWith(Misconf, client.Exchange(Request("PING")), StringComparison.Ordinal);
        Assert.Equal("$1\r\n1\r\n", client.Exchange(Request("GET", "a")));
        Assert.Contains("aof_last_write_status:err", client.Exchange(Request("INFO", "persistence")));
        Directory.Move(StoreFolder + ".gone", StoreFolder);
        Assert.True(files.Durable!.TryHeal());
        Assert.Equal("+OK\r\n", client.Exchange(Request("SET", "a", "2")));
        Assert.Contains("aof_last_write_status:ok", client.Exchange(Request("INFO", "persistence")));
    }

    [Fact]
    public async Task ConfigSet_AppendOnlyNo_EndsTheRefusalOfWrites()
    {
        await using var files = Create();
        await using var server = await StartAsync(new RespServerOptions { Durability = files });
        var client = server.Connect();
        Suspend(files);
        Assert.StartsWith(Misconf, client.Exchange(Request("SET", "a", "1")), StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", client.Exchange(Request("CONFIG", "SET", "appendonly", "no")));
        Assert.Equal("+OK\r\n", client.Exchange(Request("SET", "a", "1")));
    }

    // Whoever is connected is still answered while the server stops: not with a part of the store.
    [Fact]
    public async Task Start_FilesAreRefused_RefusesAllCommands()
    {
        Directory.CreateDirectory(StoreFolder);
        await File.WriteAllTextAsync(Path.Combine(StoreFolder, "MANIFEST"), "damaged", Cancellation);
        await using var files = Create();
        await Assert.ThrowsAnyAsync<IOException>(() => files.StartAsync(Cancellation));
        Assert.False(files.IsServing);
        await using var server = await StartAsync(new RespServerOptions());
        Assert.NotNull(DurabilityRefusal.Find(server.Server.State.Commands.Find("get"u8)!, files));
    }

    [Fact]
    public async Task Command_WhileFilesAreLoaded_IsRefusedUnlessItMayRun()
    {
        await using var files = Create();
        await using var server = await StartAsync(new RespServerOptions { Durability = files });
        await files.StopAsync(Cancellation);
        await using var loading = Create(new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, Clock));
        loading.Announce();
        await using var other = await StartAsync(new RespServerOptions());
        var state = other.Server.State;
        Assert.True(state.IsServing);
        foreach (string name in new[] { "get", "set", "ping", "dbsize", "save" })
        {
            Assert.Equal(
                "LOADING Redis is loading the dataset in memory",
                Encoding.ASCII.GetString(DurabilityRefusal.Find(Find(name), loading)!));
        }

        foreach (string name in new[] { "info", "shutdown", "select", "hello", "auth" })
            Assert.Null(DurabilityRefusal.Find(Find(name), loading));

        CommandDefinition Find(string name) => state.Commands.Find(Encoding.ASCII.GetBytes(name))!;
    }

    [Fact]
    public async Task Reply_WhereEachWriteIsSynced_WaitsForTheDisk()
    {
        await using var files = Create(sync: SyncPolicy.Always);
        await using var server = await StartAsync(new RespServerOptions { Durability = files });
        var client = server.Connect();
        for (int i = 0; i < 20; i++)
        {
            client.Send(Request("SET", "a", $"{i % 10}") + Request("GET", "a"));
            string expected = $"+OK\r\n$1\r\n{i % 10}\r\n";
            Assert.Equal(expected, await ReadAsync(client, expected.Length));
            Assert.True(files.WaitAsync().IsCompleted);
        }
    }

    // Writes are refused, and what is read was there before.
    [Fact]
    public async Task Reply_WhileTheJournalCannotBeWritten_IsSent()
    {
        await using var files = Create(sync: SyncPolicy.Always);
        await using var server = await StartAsync(new RespServerOptions { Durability = files });
        var client = server.Connect();
        client.Send(Request("SET", "a", "1"));
        await ReadAsync(client, 5);
        Suspend(files);
        client.Send(Request("SET", "a", "2") + Request("GET", "a"));
        string replies = "";
        while (!replies.EndsWith(Bulk("1"), StringComparison.Ordinal))
        {
            replies += Encoding.Latin1.GetString(client.ReadAll());
            await Task.Yield();
        }

        Assert.StartsWith(Misconf, replies, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RefusalOfJournal_NamesTheErrorAsTheSystemDoes()
    {
        const int NoSpace = 28;
        await using var files = Create();
        await files.StartAsync(Cancellation);
        files.Durable!.Journal.Fail(new IOException("full", NoSpace));
        Assert.Equal(
            Misconf[1..] + "No space left on device",
            Encoding.UTF8.GetString(DurabilityRefusal.OfJournal(files)));
    }

    [Fact]
    public async Task FailureOfFiles_IsAnEventWithoutPaths()
    {
        await using var files = Create();
        await files.StartAsync(Cancellation);
        var server = TestServerState.Create(Store, new ServerSettings { Durability = files });
        var sampler = new HistorySampler(server);
        Clock.Advance(TimeSpan.FromSeconds(1));
        sampler.Sample();
        Suspend(files);
        Clock.Advance(TimeSpan.FromSeconds(1));
        sampler.Sample();

        var last = server.Events.GetLast(1)[0];

        Assert.Equal(EventKinds.Files, last.Kind);
        Assert.Equal("the files cannot be written: changes are not kept", last.Text);
    }

    [Theory]
    [InlineData(SyncPolicy.EverySecond)]
    [InlineData(SyncPolicy.Always)]
    public async Task Reload_OfAServer_LoadsWhatItHeld(SyncPolicy sync)
    {
        await using var files = Create(sync: sync);
        await using var server = await StartAsync(new RespServerOptions
        {
            Durability = files,
            KeptParameters = new Dictionary<string, string> { ["enable-debug-command"] = "yes" },
        });
        var client = server.Connect();
        foreach (string command in new[] { "SET a 1", "SWAPDB 0 1", "SET b 2", "DEBUG RELOAD", "DEBUG RELOAD NOSAVE" })
        {
            client.Send(Request(command.Split(' ')));
            Assert.Equal("+OK\r\n", await ReadAsync(client, 5));
        }

        const string Found = ":1\r\n:0\r\n+OK\r\n:1\r\n";
        client.Send(
            Request("EXISTS", "b") + Request("EXISTS", "a") + Request("SELECT", "1") + Request("EXISTS", "a"));
        Assert.Equal(Found, await ReadAsync(client, Found.Length));
    }

    private string StoreFolder => Path.Combine(_folder, "store");

    // Nothing heals before the folder is back.
    private void Suspend(CacheDurability files)
    {
        Directory.Move(StoreFolder, StoreFolder + ".gone");
        files.Durable!.Journal.Fail(new IOException("full"));
    }

    private CacheDurability Create(CacheStore? store = null, SyncPolicy sync = SyncPolicy.EverySecond) =>
        new(
            store ?? Store,
            new DurabilityOptions { Directory = StoreFolder, Sync = sync, RefusesWritesOnError = true });

    private static async Task<string> ReadAsync(InMemoryClient client, int length) =>
        Encoding.Latin1.GetString(await client.ReadAsync(length, Cancellation));
}
