using System.Text;
using Cache.Core;
using Cache.Server.Commands.Bits;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Bits;

public sealed class BitOpTests : CommandTestBase
{
    // Enough that others write between the first one and the last.
    private const int AbsentSources = 1000;

    // Both sources always have the same value, written at one moment: of two moments the result would not be zeros.
    [Theory]
    [InlineData(10)]
    [InlineData(200_000)]
    public void BitOp_WhileItsSourcesAreWritten_TakesThemOfOneMoment(int length)
    {
        using var end = new CancellationTokenSource();
        string[] values = [.. "ab".Select(letter => new string(letter, length))];
        Client.Call("MSET", "x", values[0], "y", values[0]);
        var writer = new Thread(() =>
        {
            var client = Connect();
            for (int n = 0; !end.IsCancellationRequested; n++)
                client.Call("MSET", "x", values[n % 2], "y", values[n % 2]);
        });
        writer.Start();
        string[] request = ["BITOP", "XOR", "d", "x", .. Enumerable.Repeat("n", AbsentSources), "y"];
        var torn = new List<string>();
        for (int round = 0; round < 100; round++)
        {
            torn.Add(Client.Call(request));
            torn.Add(Client.Run("BITCOUNT d"));
        }

        end.Cancel();
        writer.Join();
        Assert.Equal([$":{length}\r\n", ":0\r\n"], torn.Distinct());
    }

    // What is not yet combined lies there as it came: another one's bytes.
    [Fact]
    public void BitOp_OfAClientThatIsKilledMeanwhile_WritesNothing()
    {
        Client.Run("SETBIT a 24000000 1");
        Client.Run("SET d v");
        var killed = Connect();
        killed.Client.Kill();

        Assert.Equal("", killed.Run("BITOP NOT d a"));

        Assert.Equal("$1\r\nv\r\n", Client.Run("GET d"));
    }

    [Fact]
    public void Step_OfManySources_CombinesNoMoreBytesThanOfOne()
    {
        const int sourceCount = 64;
        const int length = 1 << 20;
        Client.Call("SETBIT", "a", $"{length * 8 - 1}", "1");
        string words = "BITOPORd" + new string('a', sourceCount);
        ArgumentRange[] ranges =
        [
            new(0, 5), new(5, 2), new(7, 1),
            .. Enumerable.Range(0, sourceCount).Select(i => new ArgumentRange(8 + i, 1)),
        ];
        using var progress = new BitOpProgress(BitLogic.Or, Server.Store);
        progress.Begin(new RespRequest(Encoding.ASCII.GetBytes(words), ranges));
        int steps = 0;
        while (progress.Step())
            steps++;

        Assert.Equal(sourceCount, steps);
        Assert.Equal(WriteStatus.Done, progress.Write("d"u8));
        Assert.Equal(":1\r\n", Client.Run("BITCOUNT d"));
    }

    [Fact]
    public void BitOp_KeyNamedAgainAndAgain_IsRefusedBeforeItsCopiesFillTheMemory()
    {
        Client.Call("SET", "a", new string('x', 60_000));

        string reply = Client.Call(["BITOP", "OR", "d", .. Enumerable.Repeat("a", 2_300)]);

        Assert.StartsWith("-ERR the sources are too long", reply, StringComparison.Ordinal);
        Assert.Equal(":0\r\n", Client.Run("EXISTS d"));
        Assert.Equal(":60000\r\n", Client.Call(["BITOP", "OR", "d", .. Enumerable.Repeat("a", 2_200)]));
    }

    // What it had taken by then goes back with the context.
    [Fact]
    public void BitOp_ThatThrows_LeavesWhatItHoldsToItsContext()
    {
        Client.Run("SETBIT a 24000000 1");
        Server.Store.Dispose();

        Assert.StartsWith("-ERR the store", Client.Run("BITOP NOT d a"));

        Assert.NotNull(Client.Context.Progress);
        Client.Context.End();
        Assert.Null(Client.Context.Progress);
    }

    [Fact]
    public void BitOp_ThatIsDone_HoldsNothing()
    {
        Client.Run("SETBIT a 24000000 1");

        Client.Run("BITOP NOT d a");

        Assert.Null(Client.Context.Progress);
    }

    [Fact]
    public void BitOp_ResultWithoutRoom_IsRefusedAndLeavesTheKey()
    {
        Client.Run("CONFIG SET maxmemory-policy noeviction");
        Client.Run("SETBIT a 40000000 1");
        Client.Run("SET d v");
        string filling = new('x', 50_000);
        for (int i = 0; Client.Call("SET", $"fill{i}", filling) == "+OK\r\n"; i++)
        {
        }

        Assert.StartsWith("-OOM ", Client.Run("BITOP NOT d a"));
        Assert.Equal("$1\r\nv\r\n", Client.Run("GET d"));
    }
}
