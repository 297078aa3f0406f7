using System.Text;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Requests that could never be held: they are passed over, answered, and the connection goes on.</summary>
public sealed class RefusedRequestTests : ConnectionTestBase
{
    private const int Megabyte = 1 << 20;

    // What is held of a request that is passed over: what was there before its length was known, and a top-up.
    private const int HeldBytesMax = 256 * 1024;

    private static readonly RespServerOptions _oneMegabyte = new() { ClientMemoryLimit = Megabyte };

    [Fact]
    public async Task Set_OfMoreThanHalfTheStore_IsTaken()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        string value = new('v', 10 * Megabyte);
        string request = Request("SET", "key", value);
        for (int sent = 0; sent < request.Length; sent += Megabyte)
            client.Send(request[sent..Math.Min(sent + Megabyte, request.Length)]); // It counts while it arrives.

        Assert.Equal("+OK\r\n", Encoding.Latin1.GetString(client.ReadAll()));
        Assert.Equal($":{value.Length}\r\n", client.Exchange(Request("STRLEN", "key")));
        Assert.InRange(server.Server.State.ClientMemory.Bytes, 0, 2 * ClientMemory.IdleClientBytes);
    }

    [Fact]
    public async Task Set_OfMoreThanClientsMayHold_IsRefusedByItsLengthAndNeverHeld()
    {
        Store.Set("other"u8, new byte[Megabyte]);
        await using var server = await StartAsync();
        var client = server.Connect();
        long before = Store.GetStatistics().MemoryBytes;
        string request = Request("SET", "key", new string('v', 14 * Megabyte));

        for (int sent = 0; sent < request.Length; sent += 100_000)
        {
            client.Send(request[sent..Math.Min(sent + 100_000, request.Length)]);
            Assert.InRange(Store.GetStatistics().MemoryBytes, before, before + HeldBytesMax);
        }

        string reply = client.Exchange(Request("PING") + Request("STRLEN", "other"));
        Assert.StartsWith(
            $"-OOM an argument of {14 * Megabyte} bytes is longer than the ", reply, StringComparison.Ordinal);
        Assert.EndsWith($"\r\n+PONG\r\n:{Megabyte}\r\n", reply, StringComparison.Ordinal);
        Assert.Equal(1, Store.Count);
        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
    }

    [Fact]
    public async Task MSet_OfMoreThanClientsMayHoldTogether_IsRefusedAsAWhole()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        string value = new('v', Megabyte);
        client.Send("*41\r\n$4\r\nMSET\r\n");
        for (int i = 0; i < 20; i++)
            client.Send($"$2\r\n{i:d2}\r\n${Megabyte}\r\n{value}\r\n");

        string reply = client.Exchange(Request("PING"));

        Assert.StartsWith("-OOM the request is longer than the ", reply, StringComparison.Ordinal);
        Assert.EndsWith("\r\n+PONG\r\n", reply, StringComparison.Ordinal);
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public async Task Del_OfMoreKeysThanClientsMayHold_IsRefusedAsAWhole()
    {
        const int Keys = 100_000;
        await using var server = await StartAsync(_oneMegabyte);
        var client = server.Connect();
        long before = server.Server.State.ClientMemory.Bytes;
        client.Send($"*{Keys + 1}\r\n$3\r\nDEL\r\n");
        string piece = Repeat("$13\r\n0123456789012\r\n", 1000);
        for (int sent = 0; sent < Keys; sent += 1000)
        {
            client.Send(piece);
            Assert.InRange(server.Server.State.ClientMemory.Bytes, 0, Megabyte);
        }

        string reply = client.Exchange(Request("PING"));

        Assert.StartsWith("-OOM the request is longer than the ", reply, StringComparison.Ordinal);
        Assert.EndsWith("\r\n+PONG\r\n", reply, StringComparison.Ordinal);
        Assert.Equal(before, server.Server.State.ClientMemory.Bytes);
    }

    [Fact]
    public Task Refused_InAnyPieces_IsAnsweredOnceInItsPlace() => RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        await using var server = await StartAsync(_oneMegabyte);
        string half = new('h', 600_000);
        string[] requests =
        [
            Request("SET", "a", "1"), Request("SET", "b", new string('v', Megabyte)), Request("GET", "a"),
            Request("MSET", "c", half, "d", half, "e", "x"), Request("APPEND", half, half), Request("GET", "c"),
            Request("ECHO", half, half), Request("SET", "f", half), Request("STRLEN", "f"), Request("DBSIZE"),
        ];
        string all = string.Concat(requests);
        for (int round = 0; round < 10; round++)
        {
            Store.Clear();
            var client = server.Connect();
            var replies = new StringBuilder();
            for (int sent = 0; sent < all.Length;)
            {
                int count = Math.Min(random.Next(1, random.Next(2) == 0 ? 300 : 200_000), all.Length - sent);
                replies.Append(client.Exchange(all.Substring(sent, count)));
                sent += count;
            }

            string[] lines = replies.ToString().Split("\r\n");
            string kinds = string.Join(' ', lines.Select(static line => line.Split(' ', ',')[0]));
            Assert.Equal("+OK -OOM $1 1 -OOM -OOM $-1 -OOM +OK :600000 :2 ", kinds);
            client.Close();
            client.ReadAll();
        }
    });

    [Fact]
    public async Task Refused_AfterReplySkip_IsCountedAndNotAnswered()
    {
        await using var server = await StartAsync(_oneMegabyte);
        var client = server.Connect();

        string replies = client.Exchange(
            Request("CLIENT", "REPLY", "SKIP") + Request("SET", "b", new string('v', Megabyte)) + Request("PING"));

        Assert.Equal("+PONG\r\n", replies);
        Assert.Contains("errorstat_OOM:count=1\r\n", client.Exchange(Request("INFO", "errorstats")));
    }

    [Fact]
    public async Task Refused_WhoseClientSendsNoMore_IsCutOffInTime()
    {
        await using var server = await StartAsync(new RespServerOptions
        {
            ClientMemoryLimit = Megabyte,
            PartialRequestTimeout = TimeSpan.FromSeconds(5),
        });
        var client = server.Connect();
        client.Send(Request("SET", "b", new string('v', Megabyte))[..500_000]);

        for (int i = 0; i < 10; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));

        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Equal(0, server.Server.State.ClientMemory.Bytes);
    }

    [Fact]
    public async Task LongArgument_OfAProtectedClient_IsTaken()
    {
        await using var server = await StartAsync(_oneMegabyte);
        var client = server.Connect();

        string replies = client.Exchange(
            Request("CLIENT", "NO-EVICT", "on") + Request("SET", "b", new string('v', 2 * Megabyte)));

        Assert.Equal("+OK\r\n+OK\r\n", replies);
    }
}
