using System.Text;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>How much a client may send, ask for and hold.</summary>
public sealed class ClientMemoryLimitTests : ConnectionTestBase
{
    private const int Megabyte = 1 << 20;

    [Fact]
    public async Task IncompleteRequest_CountsAsTheStoresMemory()
    {
        await using var server = await StartAsync();
        long none = Store.GetStatistics().MemoryBytes;
        var client = server.Connect();
        long connected = Store.GetStatistics().MemoryBytes;
        Assert.Equal(ClientMemory.IdleClientBytes, connected - none);

        client.Send($"*2\r\n$4\r\nECHO\r\n${Megabyte}\r\n" + new string('v', Megabyte / 2));
        Assert.InRange(Store.GetStatistics().MemoryBytes - connected, Megabyte / 2, 2 * Megabyte);

        client.Close();
        client.ReadAll();
        Assert.Equal(none, Store.GetStatistics().MemoryBytes);
    }

    // Both the bytes and where the arguments lie in them.
    [Fact]
    public async Task IncompleteRequest_OfManyArguments_CountsExactlyAndGivesAllBack()
    {
        const int keys = 100_000;
        const int bytesPerKey = 20;
        const int rangeBytes = 8;
        const int slackBytes = 8 * 1024;
        await using var server = await StartAsync();
        var client = server.Connect();
        var memory = server.Server.State.ClientMemory;
        long before = memory.Bytes;
        client.Send($"*{keys + 1}\r\n$3\r\nDEL\r\n");
        string piece = string.Concat(Enumerable.Range(0, 1000).Select(static i => $"$13\r\n0123456789{i:d3}\r\n"));
        for (int sent = 1000; sent < keys; sent += 1000)
        {
            client.Send(piece);
            int least = sent * bytesPerKey;
            if (least > 2 * Megabyte)
                Assert.InRange(memory.Bytes - before, least, least + ((sent + 2) * rangeBytes) + slackBytes);
        }

        Assert.Equal(":0\r\n", client.Exchange(piece));
        Assert.Equal(before, memory.Bytes);
    }

    [Fact]
    public async Task IncompleteRequest_OfManyArguments_WhoseClientVanishes_GivesAllBack()
    {
        await using var server = await StartAsync();
        var memory = server.Server.State.ClientMemory;
        long before = memory.Bytes;
        var client = server.Connect();
        client.Send("*100000\r\n" + Repeat("$13\r\n0123456789012\r\n", 99_000));
        Assert.InRange(memory.Bytes - before, 99_000 * 28, 4 * Megabyte);

        client.Vanish();

        Assert.Equal(before, memory.Bytes);
    }

    // Entries keep a quarter of any store.
    [Theory]
    [InlineData(24, 18)]
    [InlineData(64, 48)]
    [InlineData(200, 128)]
    [InlineData(1024, 512)]
    public void Limit_WhereNoneIsSet_IsAShareOfTheStores(long storeMegabytes, long limitMegabytes) =>
        Assert.Equal(limitMegabytes * Megabyte, ClientMemory.DefaultLimitOf(storeMegabytes * Megabyte));

    [Fact]
    public async Task DeclaredLength_TakesNoMemory()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        long before = Store.GetStatistics().MemoryBytes;

        client.Send("*1000000\r\n$8000000\r\nx");

        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 1, 4096);
    }

    [Fact]
    public async Task IncompleteRequests_OfAllTogether_DisconnectWhoHoldsMost()
    {
        await using var server = await StartAsync(new RespServerOptions { ClientMemoryLimit = 2 * Megabyte });
        var small = server.Connect();
        var large = server.Connect();
        var other = server.Connect();
        string begun = $"*2\r\n$4\r\nECHO\r\n${3 * Megabyte / 2}\r\n"; // Either could be held, but not both.

        small.Send(begun + new string('v', 900_000));
        for (int i = 0; i < 5; i++)
            large.Send((i == 0 ? begun : "") + new string('v', Megabyte / 4));

        large.ReadAll();
        Assert.True(large.IsClosed);
        Assert.Equal(2, server.Server.State.Clients.Count);
        Assert.Contains("evicted_clients:1\r\n", other.Exchange(Request("INFO", "stats")));
    }

    [Fact]
    public async Task IncompleteRequests_OfAProtectedClient_AreLeftAlone()
    {
        await using var server = await StartAsync(new RespServerOptions { ClientMemoryLimit = 2 * Megabyte });
        var client = server.Connect();
        string value = new('v', 3 * Megabyte);

        Assert.Equal("+OK\r\n", client.Exchange(Request("CLIENT", "NO-EVICT", "on")));
        for (int at = 0; at < value.Length; at += Megabyte / 4)
            client.Send((at == 0 ? $"*2\r\n$4\r\nECHO\r\n${value.Length}\r\n" : "") + value[at..(at + (Megabyte / 4))]);

        Assert.Equal(1, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Strangers_SendingAMegabyte_AreDisconnected()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var client = server.Connect();
        string request = Request("PING", new string('v', 16 * 1024));
        int sent = 0;
        for (; !client.IsClosed && sent < 200; sent++)
        {
            client.Send(request);
            client.ReadAll();
        }

        Assert.True(client.IsClosed);
        Assert.InRange(sent * request.Length, Megabyte, Megabyte + request.Length);
        var other = server.Connect();
        other.Exchange(Request("AUTH", "secret"));
        Assert.Contains("client_unauthenticated_bytes_disconnections:1\r\n", other.Exchange(Request("INFO", "stats")));
    }

    [Theory]
    [InlineData("*11\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n")]
    [InlineData("*1\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n")]
    public async Task Strangers_DeclaringMuch_AreDisconnected(string sent, string reply)
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var client = server.Connect();

        Assert.Equal(reply, client.Exchange(sent));
        Assert.True(client.IsClosed);
    }

    [Fact]
    public async Task Reply_OfManyValues_IsBoundedBeforeItIsWritten()
    {
        await using var server = await StartAsync(new RespServerOptions { OutputBufferLimit = Megabyte });
        var client = server.Connect();
        client.Exchange(Request("SET", "k", new string('v', Megabyte / 8)));

        Assert.Equal(
            "-ERR the reply is longer than client-output-buffer-limit\r\n",
            client.Exchange(Request(["MGET", .. Enumerable.Repeat("k", 9)])));
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
        Assert.Contains("errorstat_ERR:count=1\r\n", client.Exchange(Request("INFO", "errorstats")));
    }

    // Of values so short that what stands around each decides, and behind replies that are not flushed yet.
    [Theory]
    [InlineData(20, 40_000, false)]
    [InlineData(19, 40_328, false)]
    [InlineData(19, 40_300, true)]
    [InlineData(20, 38_835, false)]
    [InlineData(20, 38_700, true)]
    [InlineData(0, 174_800, false)]
    public async Task Reply_OfManyShortValues_IsRefusedOrPassesButNeverCloses(int length, int count, bool passes)
    {
        await using var server = await StartAsync(
            new RespServerOptions { OutputBufferLimit = Megabyte }, new InMemoryBounds { OutputPauseBytes = 4 << 20 });
        var client = server.Connect();
        client.Exchange(Request("SET", "k", new string('v', length)));
        string ping = Request("PING");

        string replies = client.Exchange(ping + Request(["MGET", .. Enumerable.Repeat("k", count)]) + ping);

        Assert.Equal(
            passes, replies == $"+PONG\r\n*{count}\r\n{Repeat(Bulk(new string('v', length)), count)}+PONG\r\n");
        Assert.Equal(
            !passes,
            replies == "+PONG\r\n-ERR the reply is longer than client-output-buffer-limit\r\n+PONG\r\n");
    }

    [Fact]
    public async Task Scan_WithAHugeCount_LooksAtABoundedNumber()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        Assert.StartsWith("*2\r\n", client.Exchange(Request("SCAN", "0", "COUNT", long.MaxValue.ToString())));
    }

    [Theory]
    [InlineData("POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSET k v\r\n", "http_disconnections:1\r\n")]
    [InlineData("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nSET k v\r\n", "http_disconnections:1\r\n")]
    [InlineData("\x16\x03\x01\x02\x00\x01\x00\x01\nSET k v\r\n", "tls_disconnections:1\r\n")]
    [InlineData("\x16", "tls_disconnections:1\r\n")]
    public async Task OtherProtocols_AreRecognisedAndRefused(string sent, string counter)
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();

        client.Send(sent);
        string replies = Encoding.Latin1.GetString(client.ReadAll());

        Assert.True(client.IsClosed);
        Assert.DoesNotContain("+OK", replies);
        Assert.Equal("$-1\r\n", other.Exchange(Request("GET", "k")));
        Assert.Contains(counter, other.Exchange(Request("INFO", "stats")));
    }
}
