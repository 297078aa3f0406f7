using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Arguments that go to the store's memory while they arrive.</summary>
public sealed class LongArgumentTests : ConnectionTestBase
{
    private const int Long = 300_000;

    [Fact]
    public Task Send_LongArgumentsInAnyPieces_AreTakenAsAnyOther() => RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        await using var server = await StartAsync();
        for (int round = 0; round < 40; round++)
        {
            Store.Clear();
            string first = Value(random);
            string second = Value(random);
            var client = server.Connect();
            var replies = new StringBuilder();
            foreach (string requests in new[]
            {
                Request("SET", "a", first) + Request("STRLEN", "a") + Request("SET", "b", "short"),
                Request("GETSET", "a", second) + Request("SETEX", "c", "100", first),
                Request("SET", "c", second, "NX") + Request("SET", "a", first, "XX", "PX", "5000"),
                Request("PTTL", "a") + Request("MSET", "d", first, "e", second) + Request("GET", "d"),
                Request("APPEND", "b", second) + Request("GET", "b") + Request("NOSUCH", "x"),
                Request("SETNX", "f", first) + Request("SETNX", "f", second) + Request("GET", "f"),
                Request("SET", "a", second, "NOSUCH") + Request("GET", "e") + Request("ECHO", first),
            })
            {
                Send(client, random, requests, replies);
            }

            string expected = "+OK\r\n" + $":{first.Length}\r\n" + "+OK\r\n" + Bulk(first) + "+OK\r\n" + "$-1\r\n"
                + "+OK\r\n" + ":5000\r\n" + "+OK\r\n" + Bulk(first) + $":{second.Length + 5}\r\n"
                + Bulk("short" + second)
                + "-ERR unknown command 'NOSUCH', with args beginning with: 'x' \r\n"
                + ":1\r\n" + ":0\r\n" + Bulk(first) + "-ERR syntax error\r\n" + Bulk(second) + Bulk(first);
            Assert.True(expected == replies.ToString(), $"Round {round}: other replies.");
            client.Close();
        }
    });

    [Fact]
    public async Task Set_WithoutRoom_IsRefusedAndHoldsNothing()
    {
        Store.Eviction = EvictionPolicy.None;
        await using var server = await StartAsync();
        var client = server.Connect();
        for (int i = 0; i < 60; i++)
            client.Exchange(Request("SET", $"{i}", new string('v', Long)));
        long before = Store.GetStatistics().MemoryBytes;

        string reply = client.Exchange(Request("SET", "another", new string('v', Long)));

        Assert.StartsWith("-OOM", reply, StringComparison.Ordinal);
        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
    }

    [Theory]
    [InlineData(4_000)]
    [InlineData(5_000)]
    [InlineData(Long)]
    [InlineData(Long + 1)]
    public async Task Vanish_InTheMiddle_GivesTheMemoryBack(int arrivedBytes)
    {
        await using var server = await StartAsync();
        long none = Store.GetStatistics().MemoryBytes;
        var client = server.Connect();
        client.Send(Request("SET", "key", new string('v', Long))[..(30 + arrivedBytes)]);
        Assert.True(Store.GetStatistics().MemoryBytes - none >= arrivedBytes);

        client.Vanish();

        Assert.Equal(none, Store.GetStatistics().MemoryBytes);
        Assert.Equal(0, Store.Count);
    }

    [Theory]
    [InlineData(700_000, false)]
    [InlineData(900_000, true)]
    public async Task Arriving_WithWhatFollows_KeepsTheLimitOfARequest(int followingBytes, bool isTooLong)
    {
        await using var server = await StartAsync(new RespServerOptions { InputBufferLimit = 1 << 20 });
        var client = server.Connect();

        client.Send(Request("MSET", "a", new string('v', Long), "b", new string('w', followingBytes)));

        string reply = Encoding.Latin1.GetString(client.ReadAll());
        Assert.Equal((isTooLong ? "" : "+OK\r\n", isTooLong), (reply, client.IsClosed));
    }

    [Fact]
    public async Task Arriving_CountsWhatArrived()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        long before = Store.GetStatistics().MemoryBytes;

        client.Send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$8000000\r\n" + new string('v', 100_000));

        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 100_000, 300_000);
    }

    private static string Value(Random random) =>
        string.Create(Long + random.Next(3_000), random, static (chars, random) =>
        {
            for (int i = 0; i < chars.Length; i++)
                chars[i] = (char)random.Next(256);
        });

    private static void Send(InMemoryClient client, Random random, string text, StringBuilder replies)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        for (int sent = 0; sent < bytes.Length;)
        {
            int count = random.Next(4) == 0 ? random.Next(1, 40) : random.Next(1, 120_000);
            count = Math.Min(count, bytes.Length - sent);
            client.Send(bytes.AsSpan(sent, count));
            sent += count;
            for (byte[] answer = client.ReadAll(); answer.Length > 0; answer = client.ReadAll())
                replies.Append(Encoding.Latin1.GetString(answer));
        }
    }
}
