using System.Net.Sockets;
using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

/// <summary>Long requests behind others, from which on a connection expects long ones.</summary>
public sealed class LongRequestTests : TransportTestBase
{
    private const int Long = 100_000;

    // A receive, a lent value, a long receive, a turn of a target.
    private static readonly int[] _thresholds = [16 << 10, 64 << 10, 128 << 10, 256 << 10];

    /// <summary>Lengths of values for which either they or their requests are just at a threshold.</summary>
    public static IEnumerable<int> Lengths { get; } =
        from threshold in _thresholds
        from difference in new[] { -40, -34, -33, -32, -31, -30, -3, -2, -1, 0, 1, 2 }
        select threshold + difference;

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Sets_OfLengthsAtThresholds_AreTakenWhole(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        foreach (int length in Lengths)
        {
            byte[] value = Pattern(length);
            byte[] set = Set("key", length, value);

            await ExchangeAsync(client, set, "+OK\r\n");
            Assert.True(Store.GetArray("key"u8).AsSpan().SequenceEqual(value));
            Store.Clear();
            await ExchangeAsync(client, [.. set, .. "PING\r\n"u8, .. set], "+OK\r\n+PONG\r\n+OK\r\n");
            Assert.True(Store.GetArray("key"u8).AsSpan().SequenceEqual(value));
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Set_SplitAtEachByteNearItsHeaderAndItsEnd_IsTakenWhole(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        client.NoDelay = true;
        long sent = 0;
        foreach (int length in (int[])[20_000, Long, 200_000])
        {
            byte[] value = Pattern(length);
            byte[] set = Set("key", length, value);
            int headerLength = set.Length - length - 2;
            foreach (int split in Enumerable.Range(1, headerLength + 3).Concat(
                Enumerable.Range(1, 4).Select(left => set.Length - left)))
            {
                await SendAllAsync(client, set[..split]);
                sent += split;
                await Polling.WhileAsync(() => server.State.Statistics.SumTraffic().InputBytes < sent);
                await ExchangeAsync(client, set[split..], "+OK\r\n");
                sent += set.Length - split;
                Assert.True(Store.GetArray("key"u8).AsSpan().SequenceEqual(value));
                Store.Clear();
            }
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Client_ThatStopsHalfWay_LeavesNothing_AndOthersAreServed(RespTransport transport)
    {
        await using var server = await StartAsync(transport, ioThreadCount: 1);
        using var other = Connect(server);
        var client = Connect(server);
        byte[] set = Set("key", Long, Pattern(Long));
        await ExchangeAsync(client, set, "+OK\r\n");
        await SendAllAsync(client, [.. set, .. set.AsSpan(0, Long / 2)]);
        await Polling.WhileAsync(
            () => server.State.Statistics.SumTraffic().InputBytes < 2 * set.Length + Long / 2);

        await ExchangeAsync(other, set, "+OK\r\n");
        Assert.InRange(server.State.ClientMemory.Bytes, Long / 2, 4 * Long);
        client.LingerState = new LingerOption(enable: true, seconds: 0);
        client.Dispose();

        await Polling.WhileAsync(() => server.State.Clients.Count > 1 || server.State.ClientMemory.Bytes > Long / 2);
        await ExchangeAsync(other, set, "+OK\r\n");
        Assert.Equal(1, Store.Count);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Sets_BeyondTheLimitOfMemory_AreRefused_AndTheClientGoesOn(RespTransport transport)
    {
        const int Limit = 16 << 20;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = Limit, ShardCount = 2 });
        store.Eviction = EvictionPolicy.None;
        await using var server = new RespServer(store, new RespServerOptions { Port = 0, Transport = transport });
        await server.StartAsync(Token);
        using var client = Connect(server);
        int taken = 0;
        string reply;
        do
        {
            await SendAllAsync(client, Set($"{taken:D3}", Long, Pattern(Long)));
            reply = await ReceiveLineAsync(client);
            taken++;
        }
        while (reply == "+OK\r\n");

        Assert.StartsWith("-OOM", reply, StringComparison.Ordinal);
        Assert.InRange(taken, Limit / 2 / Long, Limit / Long);
        Assert.InRange(store.GetStatistics().MemoryBytes, 0, Limit);
        await ExchangeAsync(client, "FLUSHALL\r\n"u8.ToArray(), "+OK\r\n");
        await ExchangeAsync(client, Set("key", Long, Pattern(Long)), "+OK\r\n");
    }

    [Theory]
    [InlineData("-5")]
    [InlineData("1x")]
    [InlineData("99999999999")]
    public async Task Set_WithALengthThatIsNone_EndsTheConnection(string length)
    {
        await using var server = await StartAsync(SocketPair.Usual);
        using var client = Connect(server);
        await ExchangeAsync(client, Set("key", Long, Pattern(Long)), "+OK\r\n");

        await SendAllAsync(client, Encoding.ASCII.GetBytes($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${length}\r\n"));

        Assert.Equal("-ERR Protocol error: invalid bulk length\r\n", await ReceiveLineAsync(client));
        Assert.Equal(0, await client.ReceiveAsync(new byte[1], Token));
    }

    // As in Redis, the two bytes behind a value are not looked at.
    [Fact]
    public async Task Set_WithAnotherLengthThanItsValue_TakesWhatItDeclares()
    {
        await using var server = await StartAsync(SocketPair.Usual);
        using var client = Connect(server);
        byte[] value = Enumerable.Repeat((byte)'v', Long).ToArray();
        await ExchangeAsync(client, Set("key", Long, value), "+OK\r\n");

        await ExchangeAsync(client, Set("less", Long - 5, value), "+OK\r\n-ERR unknown command 'vvv', with args "
            + "beginning with: \r\n");
        await ExchangeAsync(client, [.. Set("more", Long + 5, value), .. "PING\r\nPING\r\n"u8], "+OK\r\n+PONG\r\n");

        Assert.Equal(value[5..], Store.GetArray("less"u8));
        Assert.Equal((byte[])[.. value, .. "\r\nPIN"u8], Store.GetArray("more"u8));
    }

    /// <summary>A SET that declares some length.</summary>
    internal static byte[] Set(string key, int length, byte[] value) =>
    [
        .. Encoding.ASCII.GetBytes($"*3\r\n$3\r\nSET\r\n${key.Length}\r\n{key}\r\n${length}\r\n"),
        .. value,
        .. "\r\n"u8,
    ];

    internal static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        new Random(length).NextBytes(bytes);
        return bytes;
    }

    private static async Task ExchangeAsync(Socket client, byte[] request, string reply)
    {
        await SendAllAsync(client, request);
        byte[] received = new byte[reply.Length];
        await ReceiveAllAsync(client, received);
        Assert.Equal(reply, Encoding.Latin1.GetString(received));
    }

    private static async Task<string> ReceiveLineAsync(Socket client)
    {
        var line = new StringBuilder();
        byte[] one = new byte[1];
        while (line.Length == 0 || line[^1] != '\n')
        {
            await ReceiveAllAsync(client, one);
            line.Append((char)one[0]);
        }

        return line.ToString();
    }
}
