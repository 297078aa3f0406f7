using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Cache.Core;

namespace Cache.Server.Tests.Transport;

/// <summary>What a server over either transport owes to clients that come, go, wait and do not read.</summary>
public sealed class TransportLoadTests : TransportTestBase
{
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Connections_OpenedAndClosedInTurns_AreEachAnswered(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        byte[] reply = new byte[7];
        for (int round = 0; round < 20; round++)
        {
            var clients = Enumerable.Range(0, 25).Select(_ => Connect(server)).ToArray();
            foreach (var client in clients)
                await client.SendAsync("PING\r\n"u8.ToArray(), Token);
            foreach (var client in clients)
            {
                await ReceiveAllAsync(client, reply);
                Assert.Equal("+PONG\r\n"u8.ToArray(), reply);
            }

            // Some say goodbye, some half of it, some are just gone.
            for (int i = 0; i < clients.Length; i++)
            {
                if (i % 3 == 0)
                    clients[i].LingerState = new LingerOption(enable: true, seconds: 0);
                if (i % 3 == 1)
                    clients[i].Shutdown(SocketShutdown.Send);
                clients[i].Dispose();
            }
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Value_OfSixtyFourMegabytes_GoesInAndOut(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        byte[] value = new byte[64 << 20];
        new Random(7).NextBytes(value);

        await SendAllAsync(client, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$67108864\r\n"u8.ToArray());
        await SendAllAsync(client, value);
        await SendAllAsync(client, "\r\n"u8.ToArray());
        byte[] ok = new byte[5];
        await ReceiveAllAsync(client, ok);
        Assert.Equal("+OK\r\n"u8.ToArray(), ok);

        await SendAllAsync(client, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"u8.ToArray());
        byte[] got = new byte["$67108864\r\n".Length + value.Length + 2];
        await ReceiveAllAsync(client, got);
        Assert.True(got.AsSpan("$67108864\r\n".Length, value.Length).SequenceEqual(value));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task HalfClose_AfterManyRequests_IsAnsweredWhole(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        await SendAllAsync(client, Repeat("PING\r\n"u8, 5000));
        client.Shutdown(SocketShutdown.Send);

        byte[] replies = new byte[7 * 5000];
        await ReceiveAllAsync(client, replies);

        Assert.Equal(Repeat("+PONG\r\n"u8, 5000), replies);
        Assert.Equal(0, await client.ReceiveAsync(new byte[1], Token));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task SlowReader_LeavesOthersServed_AndGetsAllInTheEnd(RespTransport transport)
    {
        const int Requests = 2000;
        Store.Set("k"u8, new byte[20_000]);
        await using var server = await StartAsync(transport);
        using var slow = Connect(server);
        using var other = Connect(server);
        var sending = SendAllAsync(slow, Repeat("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"u8, Requests));

        byte[] pong = new byte[7];
        for (int i = 0; i < 200; i++)
        {
            await SendAllAsync(other, "PING\r\n"u8.ToArray());
            await ReceiveAllAsync(other, pong);
        }

        byte[] replies = new byte[("$20000\r\n".Length + 20_000 + 2) * Requests];
        await ReceiveAllAsync(slow, replies);
        await sending;
        Assert.Equal("$20000\r\n"u8.ToArray(), replies[..8]);
        Assert.Equal("\r\n"u8.ToArray(), replies[^2..]);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Abort_WhileAFlushWaits_EndsIt(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        pair.Server.Output.Write(new byte[32 << 20]);
        var flushing = pair.Server.Output.FlushAsync(Token).AsTask();
        Assert.False(flushing.IsCompleted);

        pair.Server.Abort();

        await flushing.ContinueWith(_ => { }, Token, TaskContinuationOptions.None, TaskScheduler.Default);
        Assert.True(flushing.IsFaulted || (await flushing).IsCompleted);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_WithClientsConnected_EndsThemAll(RespTransport transport)
    {
        var server = await StartAsync(transport);
        var clients = Enumerable.Range(0, 30).Select(_ => Connect(server)).ToArray();
        byte[] pong = new byte[7];
        foreach (var client in clients)
        {
            await SendAllAsync(client, "PING\r\n"u8.ToArray());
            await ReceiveAllAsync(client, pong);
        }

        var stopping = server.StopAsync(Token);
        foreach (var client in clients)
        {
            Assert.Equal(0, await client.ReceiveAsync(pong, Token));
            client.Dispose();
        }

        await stopping;
    }

    private static byte[] Repeat(ReadOnlySpan<byte> bytes, int count)
    {
        byte[] all = new byte[bytes.Length * count];
        for (int i = 0; i < count; i++)
            bytes.CopyTo(all.AsSpan(i * bytes.Length));
        return all;
    }
}
