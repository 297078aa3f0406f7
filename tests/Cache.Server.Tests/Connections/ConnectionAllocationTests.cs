using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>That the way of a command, from the bytes that arrive to those that leave, allocates nothing.</summary>
public sealed class ConnectionAllocationTests : IDisposable
{
    private const int Pipelined = 64;
    private const int Rounds = 2000;

    // A collection that another test causes ends this thread's allocation buffer, whose rest then counts as allocated:
    // the least of several measurements is meant.
    private const int Measurements = 5;

    // On the machine's clock: the way includes reading it.
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    // A group of requests that a busy machine interrupts for ten milliseconds is noted in SLOWLOG, which allocates.
    private static RespServerOptions WithoutSlowLog => new()
    {
        KeptParameters = new Dictionary<string, string> { ["slowlog-log-slower-than"] = "-1" },
    };

    public void Dispose() => _store.Dispose();

    [Theory]
    [InlineData("*1\r\n$4\r\nPING\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n")]
    [InlineData("*2\r\n$3\r\nGET\r\n$6\r\nabsent\r\n")]
    [InlineData("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n")]
    public async Task Send_OverAndOver_AllocatesNothing(string request)
    {
        await using var server = await InMemoryServer.StartAsync(_store, WithoutSlowLog);
        var client = server.Connect();
        client.Exchange("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n");
        byte[] batch = Encoding.ASCII.GetBytes(new StringBuilder().Insert(0, request, Pipelined).ToString());
        Run(client, batch);

        Assert.Equal(0, LeastAllocated(() => Run(client, batch)));
    }

    // The pieces end anywhere within requests, so that most batches leave one that straddles.
    [Fact]
    public async Task Send_RequestsThatStraddle_AllocatesNothing()
    {
        await using var server = await InMemoryServer.StartAsync(_store, WithoutSlowLog);
        var client = server.Connect();
        byte[] batch = Encoding.ASCII.GetBytes(
            new StringBuilder().Insert(0, "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n", Pipelined).ToString());
        RunInPieces(client, batch);

        Assert.Equal(0, LeastAllocated(() => RunInPieces(client, batch)));
    }

    private static long LeastAllocated(Action run)
    {
        long least = long.MaxValue;
        for (int i = 0; i < Measurements && least > 0; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            run();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }

    private static void Run(InMemoryClient client, byte[] batch)
    {
        for (int i = 0; i < Rounds; i++)
        {
            client.Send(batch);
            client.SkipAll();
        }
    }

    private static void RunInPieces(InMemoryClient client, byte[] batch)
    {
        const int PieceBytes = 101;
        for (int i = 0; i < Rounds; i++)
        {
            for (int sent = 0; sent < batch.Length; sent += PieceBytes)
                client.Send(batch.AsSpan(sent, Math.Min(PieceBytes, batch.Length - sent)));
            client.SkipAll();
        }
    }
}
