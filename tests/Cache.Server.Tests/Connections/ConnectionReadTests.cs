using System.Text;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>What a connection makes of bytes, however they arrive.</summary>
public sealed class ConnectionReadTests : ConnectionTestBase
{
    private static readonly string _payload =
        Request("PING") + "PING hello\r\n" + "\r\n" + "*0\r\n" + Request("ECHO", "a\r\nb") + Request("ECHO", "")
        + Request("NOSUCH", "x") + "*1\r\n$4\r\nping\r\n" + Request("ECHO", new string('v', 40)) + "ECHO 'in line'\n"
        + Request("SET", "k", "v1") + Request("get", "k") + Request("GET", "none") + Request("INCR", "n")
        + Request("set", "n", "-1") + Request("GET", "n");

    private static readonly string _replies =
        "+PONG\r\n" + Bulk("hello") + Bulk("a\r\nb") + Bulk("")
        + "-ERR unknown command 'NOSUCH', with args beginning with: 'x' \r\n" + "+PONG\r\n" + Bulk(new string('v', 40))
        + Bulk("in line") + "+OK\r\n" + Bulk("v1") + "$-1\r\n" + ":0\r\n" + "+OK\r\n" + Bulk("-1");

    [Theory]
    [InlineData(4096)]
    [InlineData(16)]
    public async Task Send_PayloadSplitInAnyWay_GivesTheSameReplies(int segmentBytes)
    {
        Store.Set("n"u8, "-1"u8);
        await using var server = await StartAsync(bounds: new InMemoryBounds { InputSegmentBytes = segmentBytes });
        byte[] payload = Encoding.Latin1.GetBytes(_payload);

        foreach (var pieces in Splits.All(payload.Length))
        {
            var client = server.Connect();
            int sent = 0;
            foreach (int piece in pieces)
            {
                client.Send(payload.AsSpan(sent, piece));
                sent += piece;
            }

            Assert.Equal(_replies, Encoding.Latin1.GetString(client.ReadAll()));
            client.Close();
        }
    }

    [Fact]
    public async Task Send_ManyRequestsAtOnce_RepliesLeaveInOneFlush()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        string replies = client.Exchange(Repeat(Request("PING"), 1000));

        Assert.Equal(Repeat("+PONG\r\n", 1000), replies);
        Assert.Equal(1, client.ServerFlushCount);
    }

    [Fact]
    public async Task Send_BatchWithLargeReplies_FlushesInsideTheRead()
    {
        await using var server = await StartAsync(bounds: new InMemoryBounds { OutputPauseBytes = 1 << 20 });
        var client = server.Connect();
        string value = new('v', 1000);

        string replies = client.Exchange(Repeat(Request("ECHO", value), 240));

        Assert.Equal(Repeat(Bulk(value), 240), replies);
        Assert.InRange(client.ServerFlushCount, 3, 4);
    }

    [Fact]
    public async Task Send_GetsOfLargeValues_FlushInsideTheRead()
    {
        await using var server = await StartAsync(bounds: new InMemoryBounds { OutputPauseBytes = 1 << 20 });
        var client = server.Connect();
        string value = new('v', 1000);
        client.Exchange(Request("SET", "k", value));

        string replies = client.Exchange(Repeat(Request("GET", "k"), 240));

        Assert.Equal(Repeat(Bulk(value), 240), replies);
        Assert.InRange(client.ServerFlushCount, 4, 5);
    }

    [Fact]
    public async Task Send_CommonRequests_AreCountedLikeAnyOther()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        client.Exchange(Request("SET", "k", "v") + Repeat(Request("GET", "k"), 99));

        string statistics = client.Exchange(Request("INFO", "commandstats"));
        Assert.Contains("cmdstat_get:calls=99,", statistics, StringComparison.Ordinal);
        Assert.Contains("cmdstat_set:calls=1,", statistics, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Send_CommonRequests_ObeyTheRulesOfTheClient()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var client = server.Connect();
        string set = Request("SET", "k", "v");

        Assert.Equal("-NOAUTH Authentication required.\r\n", client.Exchange(set));
        Assert.Equal("+OK\r\n+OK\r\n", client.Exchange(Request("AUTH", "secret") + set));
        Assert.Equal("+OK\r\n", client.Exchange(Request("CLIENT", "REPLY", "SKIP") + set + set));
        Assert.Equal("", client.Exchange(Request("CLIENT", "REPLY", "OFF") + set + Request("GET", "k")));
        Assert.Equal("+OK\r\n$-1\r\n", client.Exchange(
            Request("CLIENT", "REPLY", "ON") + Request("SELECT", "1") + Request("GET", "k"))[5..]);
    }

    [Theory]
    [InlineData("\r\n")]
    [InlineData("*0\r\n")]
    [InlineData("*-1\r\n")]
    public async Task Send_EmptyRequest_UsesUpReplySkip(string request)
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        Assert.Equal("+PONG\r\n", client.Exchange(
            Request("CLIENT", "REPLY", "SKIP") + request + Request("PING")));
        Assert.Equal("", client.Exchange(request + Request("CLIENT", "REPLY", "OFF") + request + Request("PING")));
    }

    [Fact]
    public async Task Send_PartOfARequest_IsReadOnceAndAwaitsTheRest()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var session = server.Server.State.Clients.Find(1)!;
        string request = Request("ECHO", "value");

        for (int i = 0; i < request.Length - 1; i++)
        {
            Assert.Equal("", client.Exchange(request[i..(i + 1)]));
            Assert.Equal(i + 1, server.Server.State.Statistics.SumTraffic().Reads);
            Assert.Equal(i + 1, session.PendingInputBytes);
        }

        Assert.Equal(0, client.ServerFlushCount);
        Assert.Equal(Bulk("value"), client.Exchange("\n"));
        Assert.Equal(0, session.PendingInputBytes);
    }

    [Fact]
    public async Task Send_ValueOf64MegabytesInPieces_CostsAFewCopiesOfIt()
    {
        const int ValueBytes = 64 << 20;
        byte[] piece = new byte[64 * 1024];
        piece.AsSpan().Fill((byte)'v');
        await using var server = await StartAsync(
            new RespServerOptions { ClientMemoryLimit = ValueBytes * 4 },
            new InMemoryBounds { OutputPauseBytes = ValueBytes * 2 });
        var client = server.Connect();

        long before = GC.GetAllocatedBytesForCurrentThread();
        client.Send($"*2\r\n$4\r\nECHO\r\n${ValueBytes}\r\n");
        for (int i = 0; i < ValueBytes / piece.Length; i++)
            client.Send(piece);
        client.Send("\r\n");
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;

        // Doubling costs two of them, the reply, whose memory is rounded up to a power of two, another two.
        Assert.InRange(allocated, 0, 5L * ValueBytes);
        // So long a value is echoed elsewhere.
        int replyBytes = $"${ValueBytes}\r\n".Length + ValueBytes + 2;
        Assert.Equal(replyBytes, (await client.ReadAsync(replyBytes, TestContext.Current.CancellationToken)).Length);
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
    }

    [Fact]
    public async Task Send_TrafficOfAnyKind_IsCounted()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        string replies = client.Exchange(_payload) + client.Exchange(Request("PING"));

        var traffic = server.Server.State.Statistics.SumTraffic();
        Assert.Equal(_payload.Length + Request("PING").Length, traffic.InputBytes);
        Assert.Equal(replies.Length, traffic.OutputBytes);
        Assert.Equal(2, traffic.Reads);
        Assert.Equal(2, traffic.Writes);
        Assert.Equal(14, traffic.Commands);
    }
}
