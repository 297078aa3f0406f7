using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class DatabasesTests : CommandTestBase
{
    private const int Keys = 8;
    private const int Swaps = 200;

    // However slow the machine is.
    public DatabasesTests() => Server.Databases.LongWaitMax = Server.Databases.TurnWaitMax = TimeSpan.MaxValue;

    [Fact]
    public void Swap_OfTwo_IsSeenByClientsThatSelectedThemBefore()
    {
        var other = Connect();
        other.Run("SELECT 1");
        Client.Run("SET k zero");
        other.Run("SET k one");

        Assert.Equal("+OK\r\n", Connect().Run("SWAPDB 0 1"));

        Assert.Equal("$3\r\none\r\n", Client.Run("GET k"));
        Assert.Equal("$4\r\nzero\r\n", other.Run("GET k"));
        Assert.Contains("\r\ndb0:keys=1", Client.Run("INFO keyspace"));
    }

    // What nobody writes between two swaps stays what it was at the first: no write of before comes late.
    [Fact]
    public void Swap_WhileOthersWrite_TakesPlaceAtOneMoment()
    {
        using var end = new CancellationTokenSource();
        var writers = Enumerable.Range(0, 3).Select(i => RunWriter(i, end.Token)).ToArray();
        var client = Connect();
        client.Run("SELECT 1");
        var late = new List<string>();
        for (int swap = 0; swap < Swaps; swap++)
        {
            Assert.Equal("+OK\r\n", client.Run("SWAPDB 0 1"));
            string[] first = ReadAll(client);
            for (int look = 0; look < 20; look++)
                late.AddRange(ReadAll(client).Except(first));
        }

        end.Cancel();
        foreach (var writer in writers)
            writer.Join();
        Assert.Empty(late);
    }

    [Fact]
    public void Swap_BesideSwaps_EndsAndLosesNoDatabase()
    {
        Client.Run("SET k zero");
        var threads = Enumerable.Range(0, 3).Select(i => new Thread(() =>
        {
            var client = Connect();
            for (int n = 0; n < 50; n++)
                client.Run($"SWAPDB {(i + n) % 4} {(i + 1) % 4}");
        })).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();

        var found = Enumerable.Range(0, 4).Count(i => Client.Run($"SELECT {i}") == "+OK\r\n"
            && Client.Run("GET k") == "$4\r\nzero\r\n");
        Assert.Equal(1, found);
    }

    [Fact]
    public void Enter_WhileASwapWaits_WaitsForIt()
    {
        var server = Server;
        var stay = Connect().Context;
        stay.SharesThread = true;
        _ = stay.TryEnter();
        var swapper = Connect();
        var swap = new Thread(() => swapper.Run("SWAPDB 0 1"));
        swap.Start();
        // The door is closed to long stays first, and to turns once those have left.
        SpinWait.SpinUntil(() => !server.Databases.IsOpen);

        stay.Leave();

        swap.Join();
        Assert.True(server.Databases.IsOpen);
        Assert.Equal(DatabaseStay.None, stay.Presence);
        Assert.Equal(1, server.Databases[0].Keyspace);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Swap_BesideAStayThatDoesNotEnd_IsRefusedAndLetsOthersInAgain(bool isTurn)
    {
        Server.Databases.LongWaitMax = Server.Databases.TurnWaitMax = TimeSpan.Zero;
        var stay = Connect().Context;
        stay.SharesThread = isTurn;
        _ = stay.TryEnter();

        Assert.Equal(
            "-ERR commands of other clients took too long; nothing was swapped, try again\r\n",
            Client.Run("SWAPDB 0 1"));

        Assert.True(Server.Databases.IsOpen);
        Assert.Equal(0, Server.Databases[0].Keyspace);
        stay.Leave();
        Server.Databases.LongWaitMax = Server.Databases.TurnWaitMax = TimeSpan.MaxValue;
        Assert.Equal("+OK\r\n", Client.Run("SWAPDB 0 1"));
    }

    // The clients of its loop go on meanwhile, so it must not wait either: for as long as the command takes.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void BeginAloneAtOnce_WhileAnotherWaitsForALongCommand_DoesNotWait(bool hasOneLoop)
    {
        var server = Server;
        server.Databases.HasOneLoop = hasOneLoop;
        var longCommand = Connect().Context;
        _ = longCommand.TryEnter();
        var swapper = Connect();
        var swap = new Thread(() => swapper.Run("SWAPDB 0 1"));
        swap.Start();
        SpinWait.SpinUntil(() => !server.Databases.IsOpen);
        var turn = Connect().Context;
        turn.SharesThread = true;
        bool isAlone = true;
        var loop = new Thread(() =>
        {
            _ = turn.TryEnter();
            isAlone = server.Databases.TryBeginAloneAtOnce(turn, out var stay);
            if (isAlone)
                server.Databases.EndAlone(turn, stay);
            turn.Leave();
        });

        loop.Start();
        bool hasReturned = loop.Join(TimeSpan.FromSeconds(10));

        longCommand.Leave();
        loop.Join();
        swap.Join();
        Assert.True(hasReturned);
        Assert.False(isAlone);
    }

    private static string[] ReadAll(CommandClient client) =>
        [.. Enumerable.Range(0, Keys).Select(i => $"{i} {client.Run($"GET k{i}")}")];

    private Thread RunWriter(int seed, CancellationToken end)
    {
        var thread = new Thread(() =>
        {
            var client = Connect();
            for (int n = seed; !end.IsCancellationRequested; n++)
                client.Run($"SET k{n % Keys} {seed}.{n}");
        });
        thread.Start();
        return thread;
    }
}
