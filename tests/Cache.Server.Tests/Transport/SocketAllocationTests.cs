using System.Net.Sockets;
using System.Text;
using Cache.Core;

namespace Cache.Server.Tests.Transport;

/// <summary>That the way over a socket allocates next to nothing per command.</summary>
/// <remarks>Runs while no other test does: what is counted are the allocations of the whole process.</remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed class SocketAllocationTests : IDisposable
{
    private const int Pipelined = 32;
    private const int Rounds = 3000;

    // What the runtime's socket engine and thread pool may need beside us.
    private const double BytesPerCommandMax = 3;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    public void Dispose() => _store.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Get_OverTcp_AllocatesNextToNothing(RespTransport transport) =>
        await AssertAllocatesNextToNothingAsync("*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n", "$5\r\nvalue\r\n", transport);

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Set_OverTcp_AllocatesNextToNothing(RespTransport transport) =>
        await AssertAllocatesNextToNothingAsync(
            "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n", "+OK\r\n", transport);

    private async Task AssertAllocatesNextToNothingAsync(string request, string reply, RespTransport transport)
    {
        await using var server = new RespServer(_store, new RespServerOptions { Port = 0, Transport = transport });
        await server.StartAsync(TestContext.Current.CancellationToken);
        _store.Set("key"u8, "value"u8);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect(server.EndPoints[0]);
        byte[] batch = Encoding.ASCII.GetBytes(new StringBuilder().Insert(0, request, Pipelined).ToString());
        byte[] replies = new byte[reply.Length * Pipelined];
        Run(client, batch, replies);

        long before = GC.GetTotalAllocatedBytes(precise: true);
        Run(client, batch, replies);
        double perCommand = (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)(Rounds * Pipelined);

        Assert.StartsWith(reply, Encoding.ASCII.GetString(replies));
        Assert.InRange(perCommand, 0, BytesPerCommandMax);
    }

    // On this thread and blocking, so that all that is asynchronous is the server's.
    private static void Run(Socket client, byte[] batch, byte[] replies)
    {
        for (int i = 0; i < Rounds; i++)
        {
            client.Send(batch);
            for (int received = 0; received < replies.Length;)
                received += client.Receive(replies, received, replies.Length - received, SocketFlags.None);
        }
    }
}
