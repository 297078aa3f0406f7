using System.Text;
using Cache.Durability.Rdb;
using Cache.Tool.Tests.Live;

namespace Cache.Tool.Tests.Migration;

/// <summary>A copy of a source that gives its stream.</summary>
public sealed class FollowTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Import_SnapshotAndStream_AreInTheTarget(bool hasLength)
    {
        byte[] stream = FakePrimary.Commands(
            "SELECT 0", "SET a 2", "INCR n", "MULTI", "SET m 1", "SELECT 3", "SET m 2", "EXEC", "PING",
            "REPLCONF GETACK *", "SELECT 0", "DEL gone");
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength), stream))
        {
            Offset = 100 + stream.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ImportAsync(source, target);
        run.AssertTells("taken: 3 entries: 3 of type string.");
        run.AssertTells("The snapshot is complete: 3 entries.");
        Assert.Equal("? -1", Assert.Single(source.Asked));
        Assert.Equal("2", TextOf(target, "a"));
        Assert.Equal("8", TextOf(target, "n"));
        Assert.Equal("1", TextOf(target, "m"));
        Assert.Equal("2"u8.ToArray(), target.Store.SelectKeyspace(3).GetArray("m"u8));
        Assert.Null(TextOf(target, "gone"));
    }

    // The second part of the stream begins within a group that the first one has begun.
    [Fact]
    public async Task Import_LinkIsLost_GoesOnBehindTheLastCommand()
    {
        byte[] first = FakePrimary.Commands("SELECT 0", "INCR n", "MULTI", "INCR n");
        byte[] second = FakePrimary.Commands("INCR n", "EXEC");
        byte[] half = FakePrimary.Commands("INCR n")[..10];
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength: true),
                [.. first, .. half], IsCut: true),
            new FakePrimary.Session("+CONTINUE", [], second))
        {
            Offset = 100 + first.Length + second.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ImportAsync(source, target);
        run.AssertTells("is lost: The source has closed the connection.");
        run.AssertTells($"The source goes on behind byte {100 + first.Length} of its stream: nothing is missing.");
        Assert.Equal([$"? -1", $"{FakePrimary.Id} {101 + first.Length}"], source.Asked);
        Assert.Equal("10", TextOf(target, "n"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Import_SourceHasNoMoreWhatFollows_TakesAnotherSnapshot(bool empties)
    {
        byte[] first = FakePrimary.Commands("SELECT 0", "SET removed 1", "MULTI", "SELECT 3", "INCR n");
        byte[] second = FakePrimary.Commands("SELECT 0", "INCR n");
        byte[] snapshot = FakePrimary.Transfer(Snapshot(), hasLength: false);
        await using var source = new FakePrimary(
            new FakePrimary.Session($"+FULLRESYNC {FakePrimary.Id} 100", snapshot, first, IsCut: true) { End = 1_000 },
            new FakePrimary.Session($"+FULLRESYNC {FakePrimary.Id} 7", snapshot, second))
        {
            Offset = 7 + second.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ImportAsync(source, target, empties ? ["--flush"] : []);
        run.AssertTells("all is taken again from a snapshot.");
        Assert.Equal(!empties, run.Output.Contains("stays in the target; --flush would empty it before."));
        Assert.Equal(empties ? null : "1", TextOf(target, "removed"));
        Assert.Equal("8", TextOf(target, "n"));
    }

    // The SELECT of a group that the target gives up is not done, and the source does not choose the database again.
    [Fact]
    public async Task Import_GroupIsGivenUp_ChoosesItsDatabaseAgain()
    {
        byte[] stream = FakePrimary.Commands(
            "SELECT 0", "MULTI", "SET m 1", "SELECT 3", "NOSUCH x", "EXEC", "SET b 2");
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength: true), stream))
        {
            Offset = 100 + stream.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ImportAsync(source, target);
        Assert.Equal(1, run.Code);
        Assert.Contains("refused: EXEC \"\" of database 3: EXECABORT", run.Output, StringComparison.Ordinal);
        Assert.Null(TextOf(target, "b"));
        Assert.Equal("2"u8.ToArray(), target.Store.SelectKeyspace(3).GetArray("b"u8));
    }

    [Fact]
    public async Task Import_OneDatabase_TakesNothingOfOthers()
    {
        byte[] stream = FakePrimary.Commands("SELECT 0", "SET a 2", "SELECT 3", "SET b 3", "SELECT 0", "SET c 1");
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength: true), stream))
        {
            Offset = 100 + stream.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ToolRunOf("import", "--from", source.Uri + "/3", "--to", "127.0.0.1:" + target.Port);
        run.AssertTells("not taken: 3 of other databases.");
        Assert.Equal("3"u8.ToArray(), target.Store.SelectKeyspace(3).GetArray("b"u8));
        Assert.Equal(1, target.Store.GetStatistics().Count);
    }

    // What comes into it from another one the target cannot know; what leaves it goes nowhere.
    [Fact]
    public async Task Import_OneDatabase_TellsWhatComesFromOthers()
    {
        byte[] stream = FakePrimary.Commands(
            "SELECT 0", "MOVE in 3", "MOVE past 5", "COPY a out DB 3", "copy a past db 5", "SELECT 3", "SET x 1",
            "SET y 2", "MOVE x 0", "COPY y 5 DB 0", "COPY y z", "COPY y w DB 3", "COPY y DB", "SELECT 0", "SET c 1");
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength: true), stream))
        {
            Offset = 100 + stream.Length,
        };
        await using var target = await RunningServer.StartAsync();
        var run = await ToolRunOf("import", "--from", source.Uri + "/3", "--to", "127.0.0.1:" + target.Port);
        Assert.Equal(1, run.Code);
        const string Refusal = "of database 3: ERR the source has taken it from a database that is not followed";
        Assert.Contains($"refused: MOVE \"in\" {Refusal}", run.Output, StringComparison.Ordinal);
        Assert.Contains($"refused: COPY \"out\" {Refusal}", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("past", run.Output, StringComparison.Ordinal);
        var there = target.Store.SelectKeyspace(3);
        Assert.False(there.Contains("x"u8));
        Assert.Equal("2"u8.ToArray(), there.GetArray("z"u8));
        Assert.Equal("2"u8.ToArray(), there.GetArray("w"u8));
        Assert.True(there.Contains("DB"u8)); // That is a name where it stands.
        Assert.Equal(4, target.Store.GetStatistics().Count);
    }

    [Fact]
    public async Task Import_StreamIsGarbage_SaysWhere()
    {
        byte[] good = FakePrimary.Commands("SELECT 0", "INCR n");
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(Snapshot(), hasLength: true),
                [.. good, .. "HTTP/1.1 200 OK\r\n"u8]))
        {
            Offset = 10_000,
        };
        await using var target = await RunningServer.StartAsync();
        (await ImportAsync(source, target))
            .AssertFails(2, $"behind byte {100 + good.Length} of its stream cannot be read");
        Assert.Equal("8", TextOf(target, "n"));
    }

    [Fact]
    public async Task Import_SnapshotIsDamaged_SaysSo()
    {
        byte[] snapshot = Snapshot();
        snapshot[^1] ^= 1;
        await using var source = new FakePrimary(
            new FakePrimary.Session(
                $"+FULLRESYNC {FakePrimary.Id} 100", FakePrimary.Transfer(snapshot, hasLength: true), []));
        await using var target = await RunningServer.StartAsync();
        (await ImportAsync(source, target)).AssertFails(1, "cannot be read. At byte");
    }

    [Fact]
    public async Task Import_LinkEndsInEachSnapshot_GivesUp()
    {
        var cut = new FakePrimary.Session(
            $"+FULLRESYNC {FakePrimary.Id} 100", [.. "$500\r\nREDIS0010"u8], [], IsCut: true);
        await using var source = new FakePrimary(cut, cut, cut, cut);
        await using var target = await RunningServer.StartAsync();
        (await ImportAsync(source, target))
            .AssertFails(2, "ended the link during each of 3 snapshots.");
    }

    [Fact]
    public async Task Import_PsyncIsRefused_ReadsByScan()
    {
        await using var source = await RunningServer.StartAsync();
        await using var target = await RunningServer.StartAsync();
        source.Store.Set("a"u8, "1"u8);
        source.Store.SelectKeyspace(5).Hash("h"u8).Set("f"u8, "v"u8);
        var run = await ToolRunOf(
            "import", "--from", "127.0.0.1:" + source.Port, "--to", "127.0.0.1:" + target.Port);
        run.AssertTells("refuses PSYNC");
        run.AssertTells("taken: 2 entries: 1 of type hash, 1 of type string.");
        Assert.Equal("1", TextOf(target, "a"));
        (await ToolRunOf("import", "--from", "127.0.0.1:" + source.Port, "--to", "127.0.0.1:" + target.Port))
            .AssertFails(2, "has keys, which the changes of");
        (await ToolRunOf(
            "import", "--from", "127.0.0.1:" + source.Port, "--to", "127.0.0.1:" + target.Port, "--replace",
            "--follow")).AssertFails(2, "which --follow needs.");
        run = await ToolRunOf(
            "import", "--from", "127.0.0.1:" + source.Port, "--to", "127.0.0.1:" + target.Port, "--scan");
        run.AssertTells("not taken: 2 that are there already; --replace takes them.");
    }

    internal static byte[] Snapshot()
    {
        using var stream = new MemoryStream();
        var writer = new RdbWriter(stream, DateTimeOffset.UnixEpoch);
        foreach (var (key, value) in new[] { ("a", "1"), ("n", "7"), ("gone", "x") })
            writer.Write(new RdbEntry(0, Encoding.ASCII.GetBytes(key), Encoding.ASCII.GetBytes(value), null));
        writer.WriteEnd();
        return stream.ToArray();
    }

    private static string? TextOf(RunningServer server, string key) =>
        server.Store.GetArray(Encoding.ASCII.GetBytes(key)) is { } value ? Encoding.ASCII.GetString(value) : null;

    private static Task<ToolRun> ImportAsync(FakePrimary source, RunningServer target, params string[] more) =>
        ToolRunOf(["import", "--from", source.Uri, "--to", "127.0.0.1:" + target.Port, .. more]);

    private static Task<ToolRun> ToolRunOf(params string[] words) =>
        Task.Run(() => ToolRun.Of(words), TestContext.Current.CancellationToken);
}
