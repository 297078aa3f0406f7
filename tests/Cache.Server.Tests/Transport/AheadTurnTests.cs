using System.Net.Sockets;
using System.Text;
using Cache.Core.Changes;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

/// <summary>What a client has sent behind its wait: other clients of its loop must not wait for all of it.</summary>
public sealed class AheadTurnTests : TransportTestBase
{
    private const int Count = 25_000;

    // About a megabyte, all of which is received while the client waits.
    private static readonly string _write = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$7\r\n1234567\r\n";

    [Fact]
    public async Task Requests_BehindAWait_AreNotExecutedOnTheLoop()
    {
        await using var server = await StartAsync(RespTransport.Epoll, ioThreadCount: 1);
        using var client = Connect(server);
        using var other = Connect(server);
        await SendAllAsync(client, "BLPOP list 0\r\n"u8.ToArray());
        await Polling.WhileAsync(() => server.State.Waits.Count == 0);
        await SendAllAsync(client, Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(_write, Count))));
        await Polling.WhileAsync(
            () => !server.Connections.Any(static one => one.Transport.AheadMemoryBytes >= 1 << 20));
        var writes = new Writes();
        Store.Attach(writes);

        await SendAllAsync(other, "RPUSH list x\r\n"u8.ToArray());

        string expected = "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n" + string.Concat(Enumerable.Repeat("+OK\r\n", Count));
        byte[] replies = new byte[expected.Length];
        await ReceiveAllAsync(client, replies);
        Assert.True(expected == Encoding.ASCII.GetString(replies));
        Store.Detach(writes);
        Assert.Equal(Count, writes.Here + writes.OnThePool);
        Assert.InRange(writes.OnThePool, Count / 4, Count); // The rest may have come later.
    }

    private sealed class Writes : ChangeObserver
    {
        private int _here;
        private int _onThePool;

        public int Here => Volatile.Read(ref _here);

        public int OnThePool => Volatile.Read(ref _onThePool);

        public override void Note(in ChangeNote note)
        {
            if (!note.Key.SequenceEqual("k"u8))
                return;
            if (Thread.CurrentThread.IsThreadPoolThread)
                Interlocked.Increment(ref _onThePool);
            else
                Interlocked.Increment(ref _here);
        }

        public override void Drain()
        {
        }
    }
}
