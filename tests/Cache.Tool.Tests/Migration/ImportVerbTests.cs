using System.Text;
using Cache.Durability.Rdb;
using Cache.Server;
using Cache.Server.Cluster;
using Cache.Tool.Client;
using Cache.Tool.Migration;
using Cache.Tool.Tests.Live;
using Cache.Tool.Verbs;

namespace Cache.Tool.Tests.Migration;

/// <summary>Files into a server that runs, and back.</summary>
public sealed class ImportVerbTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Dump => _folder.Of("dump.rdb");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("--to SERVER is needed", "import", "x.rdb")]
    [InlineData("import needs FILE or --from SERVER, one of them", "import", "--to", "h:1")]
    [InlineData("import needs FILE or --from SERVER, one of them", "import", "x", "--to", "h:1", "--from", "h:2")]
    [InlineData("--follow is for --from SERVER", "import", "x", "--to", "h:1", "--follow")]
    [InlineData("--scan reads no changes", "import", "--from", "h:2", "--to", "h:1", "--follow", "--scan")]
    [InlineData("--to: HOST:PORT, the path of a socket, or redis://", "import", "x", "--to", "h")]
    [InlineData("--to: HOST:PORT, the path of a socket, or redis://", "import", "x", "--to", "h:70000")]
    [InlineData("--to: HOST:PORT, the path of a socket, or redis://", "import", "x", "--to", "http://h:1")]
    [InlineData("--from: HOST:PORT", "import", "--to", "h:1", "--from", "redis://h:1/x")]
    [InlineData("--to: databases keep their numbers", "import", "x", "--to", "redis://h:1/2")]
    [InlineData("--to: the user u needs a password.", "import", "x", "--to", "redis://u@h:1")]
    [InlineData("--cacert is for --tls", "import", "x", "--to", "h:1", "--cacert", "f")]
    [InlineData("x does not exist.", "import", "x", "--to", "h:1")]
    [InlineData("--from SERVER is needed", "export", "x.rdb")]
    public void Run_WrongWords_SaysWhich(string text, params string[] words) =>
        ToolRun.Of(words).AssertFails(2, text);

    [Fact]
    public void Of_Uri_HasItsParts()
    {
        var words = VerbWords.Parse(
            ImportVerb.Verb, ["--from", "rediss://us%40er:p%3Aw@h.example/3", "--to", "[::1]:7"]);
        var source = ServerName.Of(words, "--from", hasOptions: false);
        Assert.Equal(
            ("h.example", 6379, true, "us@er", "p:w", 3),
            (source.Address.Host, source.Address.Port, source.Address.UsesTls, source.Address.User,
                source.Address.Password, source.Database));
        var target = ServerName.Of(words, "--to", hasOptions: true);
        Assert.Equal(("::1", 7, false), (target.Address.Host, target.Address.Port, target.Address.UsesTls));
    }

    [Fact]
    public async Task Import_File_KeepsWhatIsThereUnlessToldOtherwise()
    {
        DumpFile.Write(
            Dump,
            [(0, "a", "1", null), (3, "\xff\0", "2", 4_102_444_800_000), (0, "old", "x", 1), (99, "far", "x", null)]);
        await using var server = await RunningServer.StartAsync();
        server.Store.Set("a"u8, "mine"u8);
        var run = await RunAsync("import", Dump, "--to", "127.0.0.1:" + server.Port);
        Assert.Equal(1, run.Code);
        Assert.Contains("taken: 1 entries: 1 of type string.", run.Output);
        Assert.Contains("not taken: 1 that are there already; --replace takes them.", run.Output);
        Assert.Contains("not taken: 1 that have expired.", run.Output);
        Assert.Contains("refused: string \"far\" of database 99: ERR the target has no database", run.Output);
        Assert.Equal("mine"u8.ToArray(), server.Store.GetArray("a"u8));
        Assert.True(server.Store.SelectKeyspace(3).TryPeekInfo([0xFF, 0], out var info));
        Assert.Equal(4_102_444_800_000, info.ExpiresAtUnixMs);
        await RunAsync("import", Dump, "--to", "127.0.0.1:" + server.Port, "--replace");
        Assert.Equal("1"u8.ToArray(), server.Store.GetArray("a"u8));
    }

    [Fact]
    public async Task Import_DamagedFile_PutsNothing()
    {
        DumpFile.Write(Dump, [(0, "a", "1", null)]);
        File.WriteAllBytes(Dump, File.ReadAllBytes(Dump)[..^4]);
        await using var server = await RunningServer.StartAsync();
        (await RunAsync("import", Dump, "--to", "127.0.0.1:" + server.Port))
            .AssertFails(1, "is damaged, or no RDB file.");
        Assert.Null(server.Store.GetArray("a"u8));
    }

    [Fact]
    public async Task ExportAndImport_AllTypes_AreTheSame()
    {
        await using var server = await RunningServer.StartAsync();
        await using var other = await RunningServer.StartAsync();
        using var connection = Open(server);
        Fill(connection);
        (await RunAsync("export", Dump, "--from", "127.0.0.1:" + server.Port)).AssertTells("has 6 entries.");
        (await RunAsync("import", Dump, "--to", "127.0.0.1:" + other.Port)).AssertTells("taken: 6 entries");
        using var second = Open(other);
        foreach (string key in (string[])["s", "h", "l", "t", "z", "x"])
            Assert.Equal(DumpOf(connection, key), DumpOf(second, key));
        (await RunAsync("export", Dump, "--from", "127.0.0.1:" + server.Port)).AssertFails(2, "exists already.");
    }

    [Fact]
    public async Task Export_UnfinishedFileIsThere_SaysWhatToDo()
    {
        File.WriteAllText(Dump + ".tmp", "left by a run that was killed");
        await using var server = await RunningServer.StartAsync();
        (await RunAsync("export", Dump, "--from", "127.0.0.1:" + server.Port))
            .AssertFails(2, "dump.rdb.tmp exists: another run writes it, or left it when it was killed.");
        Assert.False(File.Exists(Dump));
    }

    // A server of a cluster that does not have its slot: once, and not for each part.
    [Fact]
    public async Task Put_LongCollectionOfAnother_IsLeftOnce()
    {
        await using var server = await RunningServer.StartAsync();
        using var connection = Open(server);
        Fill(connection);
        (await RunAsync("export", Dump, "--from", "127.0.0.1:" + server.Port)).AssertTells("has 6 entries.");
        string map = _folder.Of("map.json");
        File.WriteAllBytes(map, SlotMapJson.Write(SlotMapText.TryRead("127.0.0.1:1 127.0.0.1:2", out _)!));
        await using var other = await RunningServer.StartAsync(options => options.KeptParameters =
            new Dictionary<string, string>
            {
                ["cluster-enabled"] = "yes",
                ["cluster-map"] = map,
                ["cluster-self"] = "127.0.0.1:1",
            });
        var counts = await Task.Run(() => PutParts(other), TestContext.Current.CancellationToken);
        Assert.Equal((6, 0), (counts.Seen, counts.Refused));
        Assert.InRange(counts.Taken, 1, 5); // By slot.
    }

    [Fact]
    public async Task Call_TargetIsGone_SaysWhatToDo()
    {
        var server = await RunningServer.StartAsync();
        using var target = await Task.Run(
            () => Target.Open(AddressOf(server), new ImportCounts(), replaces: false, TimeProvider.System),
            TestContext.Current.CancellationToken);
        await server.DisposeAsync();
        var failure = await Task.Run(
            () => Assert.Throws<ToolException>(() => target.Call("PING"u8.ToArray())),
            TestContext.Current.CancellationToken);
        Assert.StartsWith("The target is lost: 127.0.0.1:", failure.Message, StringComparison.Ordinal);
        Assert.Contains("--replace or --flush", failure.Message, StringComparison.Ordinal);
    }

    private ImportCounts PutParts(RunningServer server)
    {
        var counts = new ImportCounts();
        using var target = Target.Open(AddressOf(server), counts, replaces: true, TimeProvider.System);
        using var file = File.OpenRead(Dump);
        new EntryWriter(target, counts, replaces: true, null, TimeProvider.System).Run(
            new RdbReader(file, keptMax: 1), static () => { });
        return counts;
    }

    // As a collection of more than sixteen megabytes is.
    [Fact]
    public async Task Put_LongCollections_AreBuiltInParts()
    {
        await using var server = await RunningServer.StartAsync();
        await using var other = await RunningServer.StartAsync();
        using var connection = Open(server);
        Fill(connection);
        connection.Call("PEXPIREAT", "h", "4102444800000");
        (await RunAsync("export", Dump, "--from", "127.0.0.1:" + server.Port)).AssertTells("has 6 entries.");
        using var second = Open(other);
        second.Call("SET", "cache-import:{l}", "left by an earlier run");
        var counts = new ImportCounts();
        var address = ServerName.Of(
            VerbWords.Parse(ImportVerb.Verb, ["--to", "127.0.0.1:" + other.Port]), "--to", hasOptions: true).Address;
        await Task.Run(
            () =>
            {
                using var target = Target.Open(address, counts, replaces: false, TimeProvider.System);
                var writer = new EntryWriter(target, counts, replaces: false, null, TimeProvider.System);
                for (int i = 0; i < 2; i++)
                {
                    using var file = File.OpenRead(Dump);
                    writer.Run(new RdbReader(file, keptMax: 1), static () => { });
                }
            },
            TestContext.Current.CancellationToken);
        Assert.Equal((6, 12, 0), (counts.Taken, counts.Seen, counts.Refused));
        foreach (string key in (string[])["s", "h", "l", "t", "z", "x"])
            Assert.Equal(DumpOf(connection, key), DumpOf(second, key));
        Assert.Equal(4_102_444_800_000, second.Call("PEXPIRETIME", "h").Number);
        Assert.Equal(6, second.Call("DBSIZE").Number);
    }

    [Theory]
    [InlineData("--scan")]
    [InlineData("--replace")]
    public async Task Import_FromTheTargetItself_IsRefusedAndRemovesNothing(string option)
    {
        await using var server = await RunningServer.StartAsync();
        server.Store.Set("a"u8, "1"u8);
        string port = server.Port.ToString(System.Globalization.CultureInfo.InvariantCulture);
        (await RunAsync("import", "--from", "localhost:" + port, "--to", "127.0.0.1:" + port, "--flush", option))
            .AssertFails(2, "are the same server.");
        Assert.Equal("1"u8.ToArray(), server.Store.GetArray("a"u8));
    }

    [Fact]
    public async Task Import_SourceThatCannotBeRead_LeavesWhatTheTargetHas()
    {
        await using var server = await RunningServer.StartAsync();
        server.Store.Set("a"u8, "1"u8);
        (await RunAsync("import", "--from", "127.0.0.1:1", "--to", "127.0.0.1:" + server.Port, "--flush", "--scan"))
            .AssertFails(2, "127.0.0.1:1");
        Assert.Equal("1"u8.ToArray(), server.Store.GetArray("a"u8));
    }

    private static void Fill(ServerConnection connection)
    {
        connection.Call("SET", "s", "12");
        connection.Call("HSET", "h", "f", "v", "g", "");
        connection.Call("RPUSH", "l", "b", "a", "7", "b");
        connection.Call("SADD", "t", "x", "y");
        connection.Call("ZADD", "z", "0.1", "a", "-inf", "b", "1e300", "c");
        connection.Call("XADD", "x", "1-1", "f", "v");
        connection.Call("XGROUP", "CREATE", "x", "g", "0");
    }

    // By its own payload, which has the order of a set too: sets are of one or two members here.
    private static byte[] DumpOf(ServerConnection connection, string key) => connection.Call("DUMP", key).Bytes;

    private static ServerConnection Open(RunningServer server) => ServerConnection.Open(AddressOf(server));

    private static ServerAddress AddressOf(RunningServer server) => ServerName.Of(
        VerbWords.Parse(ImportVerb.Verb, ["--to", "127.0.0.1:" + server.Port]), "--to", hasOptions: true).Address;

    private static Task<ToolRun> RunAsync(params string[] words) =>
        Task.Run(() => ToolRun.Of(words), TestContext.Current.CancellationToken);
}
