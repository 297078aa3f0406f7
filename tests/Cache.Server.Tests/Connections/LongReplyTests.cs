using System.Buffers;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Replies with many elements, which are written in parts from a snapshot.</summary>
public sealed class LongReplyTests : ConnectionTestBase
{
    // More than a megabyte in each collection.
    private const int Elements = 24_000;

    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("HGETALL h", "h")]
    [InlineData("HKEYS h", "h")]
    [InlineData("SMEMBERS s", "s")]
    [InlineData("LRANGE l 0 -1", "l")]
    [InlineData("LRANGE l 5 20000", "l")]
    [InlineData("ZRANGE z 0 -1", "z")]
    [InlineData("ZRANGE z 1 -1 REV WITHSCORES", "z")]
    public async Task Reply_OfManyElements_IsThatOfATransaction(string command, string key)
    {
        Fill();
        await using var server = await StartAsync(bounds: _shared);
        byte[] whole = await ReadOfTransactionAsync(server, command);
        var client = server.Connect();
        int flushes = client.ServerFlushCount;
        client.Send(Request(command.Split(' ')) + "PING\r\n" + Request("DEL", key) + "PING\r\n");

        Assert.Equal(whole, await client.ReadAsync(whole.Length, Token));
        await ExpectAsync(client, "+PONG\r\n:1\r\n+PONG\r\n");
        Assert.True(client.ServerFlushCount - flushes > whole.Length / LongReply.PartBytes, "It was sent at once.");
        Assert.Equal(0, server.Server.State.LongReplyCount);
    }

    [Fact]
    public async Task Reply_WhileOthersWrite_IsOfOneMoment()
    {
        Fill();
        await using var server = await StartAsync(bounds: _shared);
        byte[] whole = await ReadOfTransactionAsync(server, "SMEMBERS s");
        var client = server.Connect();
        client.Send(Request("SMEMBERS", "s") + "PING\r\n");
        byte[] begun = await client.ReadAsync(1, Token); // The rest waits for its reader.
        var other = server.Connect();
        other.Send(Request("SADD", "s", "new member") + Request("SREM", "s", Member(7)) + "PING\r\n");
        await ExpectAsync(other, ":1\r\n:1\r\n+PONG\r\n");
        other.Send(Request("DEL", "s") + "PING\r\n");
        await ExpectAsync(other, ":1\r\n+PONG\r\n");

        byte[] rest = await client.ReadAsync(whole.Length - 1, Token);
        Assert.Equal(whole, (byte[])[.. begun, .. rest]);
        await ExpectAsync(client, "+PONG\r\n");
        Assert.Equal(0, server.Server.State.LongReplyCount);
    }

    [Fact]
    public async Task Client_ThatEndsInTheMiddle_KeepsNoSnapshot()
    {
        Fill();
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("HGETALL", "h"));
        await client.ReadAsync(1, Token);
        var other = server.Connect();
        other.Send(Request("CLIENT", "KILL", "SKIPME", "yes", "TYPE", "normal") + "PING\r\n");
        await ExpectAsync(other, ":1\r\n+PONG\r\n");
        while (!client.Connection.IsDisposed)
        {
            Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        Assert.Equal(0, server.Server.State.LongReplyCount);
        Store.RequireWhole();
    }

    // The smallest limit that can be set.
    [Theory]
    [InlineData("HGETALL h")]
    [InlineData("HKEYS h")]
    [InlineData("SMEMBERS s")]
    [InlineData("LRANGE l 0 -1")]
    [InlineData("ZRANGE z 0 -1 WITHSCORES")]
    public async Task Parts_WithTheLeastLimit_AreShorterThanTheLimit(string command)
    {
        Fill();
        await using var whole = await StartAsync(bounds: _shared);
        byte[] expected = await ReadOfTransactionAsync(whole, command);
        await using var server = await StartAsync(new() { OutputBufferLimit = LongReply.PartBytes }, _shared);
        var client = server.Connect();
        client.Send(Request(command.Split(' ')) + "PING\r\n");

        Assert.Equal(expected, await client.ReadAsync(expected.Length, Token));
        await ExpectAsync(client, "+PONG\r\n");
    }

    [Fact]
    public async Task Reply_WhileAPasswordIsSet_GoesOn()
    {
        Fill();
        await using var server = await StartAsync(new() { RequirePass = "pass" }, _shared);
        var client = server.Connect(); // As one who needs a password, and then needs none.
        var other = server.Connect();
        other.Send(Request("AUTH", "pass") + Request("CONFIG", "SET", "requirepass", "") + "PING\r\n");
        await ExpectAsync(other, "+OK\r\n+OK\r\n+PONG\r\n");
        byte[] whole = await ReadOfTransactionAsync(server, "HGETALL h");
        client.Send(Request("HGETALL", "h") + "PING\r\n");
        byte[] begun = await client.ReadAsync(1, Token); // The rest waits for its reader.
        other.Send(Request("CONFIG", "SET", "requirepass", "pass") + "PING\r\n");
        await ExpectAsync(other, "+OK\r\n+PONG\r\n");

        byte[] rest = await client.ReadAsync(whole.Length - 1, Token);
        Assert.Equal(whole, (byte[])[.. begun, .. rest]);
        await ExpectAsync(client, "-NOAUTH Authentication required.\r\n");
    }

    [Fact]
    public async Task KeyThatGoesMeanwhile_IsNotMissedByTheReply()
    {
        Fill();
        await using var server = await StartAsync(bounds: _shared);
        var other = server.Connect();
        other.Send(Request("CONFIG", "SET", "notify-keyspace-events", "KEm") + "PING\r\n");
        await ExpectAsync(other, "+OK\r\n+PONG\r\n");
        byte[] whole = await ReadOfTransactionAsync(server, "SMEMBERS s");
        var listener = server.Connect();
        listener.Send(Request("SUBSCRIBE", "__keyevent@0__:keymiss") + "PING\r\n");
        await ExpectAsync(listener, "*3\r\n" + Bulk("subscribe") + Bulk("__keyevent@0__:keymiss") + ":1\r\n");
        await ExpectAsync(listener, "*2\r\n" + Bulk("pong") + Bulk(""));
        var client = server.Connect();
        client.Send(Request("SMEMBERS", "s") + "PING\r\n");
        await client.ReadAsync(1, Token); // The rest waits for its reader.
        other.Send(Request("DEL", "s") + "PING\r\n");
        await ExpectAsync(other, ":1\r\n+PONG\r\n");

        await client.ReadAsync(whole.Length - 1, Token);
        await ExpectAsync(client, "+PONG\r\n");
        other.Send(Request("GET", "absent") + "PING\r\n");
        await ExpectAsync(other, "$-1\r\n+PONG\r\n");
        await ExpectAsync(
            listener, "*3\r\n" + Bulk("message") + Bulk("__keyevent@0__:keymiss") + Bulk("absent"));
    }

    private static string Member(int number) => $"member {number:D40}";

    private void Fill()
    {
        for (int i = 0; i < Elements; i++)
        {
            byte[] member = Encoding.ASCII.GetBytes(Member(i));
            Assert.Equal(WriteStatus.Done, Store.Hash("h"u8).Set(member, "value"u8));
            Assert.Equal(WriteStatus.Done, Store.SetOf("s"u8).Add(member));
            Assert.Equal(WriteStatus.Done, Store.SortedSet("z"u8).Add(member, i % 1_000));
            Assert.Equal(WriteStatus.Done, Store.List("l"u8).Push(ListEnd.Right, member));
        }
    }

    private static async Task<byte[]> ReadOfTransactionAsync(InMemoryServer server, string command)
    {
        const string Before = "+OK\r\n+QUEUED\r\n*1\r\n", After = "+PONG\r\n";
        var client = server.Connect();
        client.Send("MULTI\r\n" + Request(command.Split(' ')) + "EXEC\r\nPING\r\n");
        var reply = new ArrayBufferWriter<byte>();
        while (!reply.WrittenSpan.EndsWith(Encoding.ASCII.GetBytes(After)))
        {
            reply.Write(client.ReadSome());
            Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        client.Close();
        return reply.WrittenSpan[Before.Length..^After.Length].ToArray();
    }

    private static async Task ExpectAsync(InMemoryClient client, string reply) =>
        Assert.Equal(reply, Encoding.ASCII.GetString(await client.ReadAsync(reply.Length, Token)));
}
