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
