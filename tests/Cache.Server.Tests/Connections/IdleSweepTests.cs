using System.IO.Pipelines;
using System.Net;
using Cache.Server.Clients;
using Cache.Server.Connections;
using Cache.Server.Tests.Clients;
using Cache.Server.Transport;

namespace Cache.Server.Tests.Connections;

public sealed class IdleSweepTests : ConnectionTestBase
{
    [Fact]
    public async Task Sweep_WhileAPendingReplyEnds_CountsNothing()
    {
        await using var server = await StartAsync();
        var state = server.Server.State;
        var client = state.Clients.TryAdd(new ClientEndPoints("a", "b", isLocal: true), static () => { })!;
        client.PendingOutputBytes = 100_000_000;
        var transport = new EndingTransport(client);
        long before = state.ClientMemory.Bytes;
        await using var sweep = new IdleSweep(state, [new LiveConnection(transport, client)]);

        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.NotEqual(0, transport.Asked);
        Assert.Equal(before, state.ClientMemory.Bytes);
    }

    // Its connection cannot end while its command is executed.
    [Fact]
    public async Task Sweep_OfAKilledClient_ReportsItOnce()
    {
        await using var server = await StartAsync(new RespServerOptions { ClientMemoryLimit = 256 << 20 });
        var state = server.Server.State;
        var client = state.Clients.TryAdd(new ClientEndPoints("a", "b", isLocal: true), static () => { })!;
        client.PendingInputBytes = 10;
        await using var sweep = new IdleSweep(state, [new LiveConnection(new EndingTransport(client), client)]);

        for (int i = 0; i < 40; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.True(client.IsKilled);
        Assert.Equal(1, state.Limits[ConnectionLimit.PartialRequestTimeout]);
    }

    /// <summary>Its flush ends just before the sweep hears how much is unsent.</summary>
    private sealed class EndingTransport(ClientSession client) : TransportConnection
    {
        public int Asked { get; private set; }

        public override PipeReader Input => throw new NotSupportedException();

        public override PipeWriter Output => throw new NotSupportedException();

        public override long SentBytes => 0;

        public override long UnsentMemoryBytes
        {
            get
            {
                if (Asked++ > 0)
                    return 0;
                client.PendingOutputBytes = 0;
                return 100_000_000;
            }
        }

        public override EndPoint? RemoteEndPoint => null;

        public override EndPoint? LocalEndPoint => null;

        public override void StopReceiving()
        {
        }

        public override void Abort()
        {
        }

        public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
