using System.Text;
using Cache.Core;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Waits;

/// <summary>Clients that wait for entries of streams; the replies are those of redis-server 7.0.15.</summary>
public sealed class BlockedReaderTests : ConnectionTestBase
{
    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    [Fact]
    public async Task Add_WakesAllReaders_EachWithWhatIsBehindItsId()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (first, second, late, other) = (server.Connect(), server.Connect(), server.Connect(), server.Connect());
        first.Send(Read("BLOCK", "0", "STREAMS", "other", "s", "$", "$"));
        second.Exchange(Request("HELLO", "3"));
        second.Send(Read("BLOCK", "0", "STREAMS", "s", "0-0"));
        late.Send(Read("BLOCK", "0", "STREAMS", "s", "7-0"));

        Assert.Equal("$3\r\n5-1\r\n", other.Exchange(Request("XADD", "s", "5-1", "f", "v")));

        await ExpectAsync(first, "*1\r\n" + Stream("s", "5-1"));
        await ExpectAsync(second, "%1\r\n$1\r\ns\r\n" + Entries("5-1"));
        Assert.Empty(late.ReadAll());
        other.Exchange(Request("XADD", "s", "7-1", "f", "v"));
        await ExpectAsync(late, "*1\r\n" + Stream("s", "7-1"));
        Assert.Equal(0, server.Server.State.Waits.Count);
    }

    // "$" is the last id when the command comes, whatever comes while it waits.
    [Fact]
    public async Task Add_OfSeveralInATransaction_TellsAllOfThem()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, counting, other) = (server.Connect(), server.Connect(), server.Connect());
        other.Exchange(Request("XADD", "s", "1-1", "f", "v"));
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "$"));
        counting.Send(Read("COUNT", "1", "BLOCK", "0", "STREAMS", "s", "$"));

        other.Exchange(
            Request("MULTI") + Request("XADD", "s", "2-1", "f", "v") + Request("XADD", "s", "3-1", "f", "v")
            + Request("EXEC"));

        await ExpectAsync(waiting, "*1\r\n" + Stream("s", "2-1", "3-1"));
        await ExpectAsync(counting, "*1\r\n" + Stream("s", "2-1"));
    }

    [Fact]
    public async Task Add_InProcess_Wakes()
    {
        await using var server = await StartAsync(bounds: _shared);
        var waiting = server.Connect();
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "0"));

        Store.Stream("s"u8).Append("f"u8, "v"u8, out var id);

        await ExpectAsync(waiting, "*1\r\n" + Stream("s", id.ToString()));
    }

    [Theory]
    [InlineData("7-7", "5-5", "8-8")]
    [InlineData("5-5", "7-7", "6-6")]
    public async Task Read_OfOneKeyTwice_WaitsBehindTheFirstId(string first, string second, string served)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "s", first, second));

        other.Exchange(Request("XADD", "s", "6-6", "f", "v"));
        other.Exchange(Request("XADD", "s", "8-8", "f", "v"));

        await ExpectAsync(waiting, $"*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n{served}\r\n");
    }

    // The thread of another does not copy so much.
    [Fact]
    public async Task Add_OfALongEntry_IsReadByItsOwnClient()
    {
        await using var server = await StartAsync(bounds: _shared);
        var waiting = server.Connect();
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "$"));
        string value = new('x', 200_000);

        server.Connect().Exchange(Request("XADD", "s", "1-1", "f", value));

        await ExpectAsync(
            waiting, $"*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$200000\r\n{value}\r\n");
    }

    [Theory]
    [InlineData("RENAME source s")]
    [InlineData("COPY source s")]
    public async Task Change_ThatMakesTheStream_Wakes(string line)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "0"));
        other.Exchange(Request("XADD", "source", "1-1", "f", "v"));

        other.Exchange(Request(line.Split(' ')));

        await ExpectAsync(waiting, "*1\r\n" + Stream("s", "1-1"));
    }

    [Fact]
    public async Task Change_WithoutANewEntry_LeavesItWaiting()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("XADD", "s", "1-1", "f", "v"));
        waiting.Send(Read("BLOCK", "0", "STREAMS", "s", "$"));

        foreach (string line in (string[])["XDEL s 1-1", "XSETID s 5-5", "DEL s", "SET s v", "DEL s", "LPUSH s v"])
            other.Exchange(Request(line.Split(' ')));

        Assert.Empty(waiting.ReadAll());
        Assert.Equal(1, server.Server.State.Waits.Count);
    }

    [Fact]
    public async Task Add_GoesToOneConsumerOfAGroup_InTheOrderOfTheirArrival_AndToEachGroup()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (first, second, third, other) = (server.Connect(), server.Connect(), server.Connect(), server.Connect());
        other.Exchange(Request("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"));
        other.Exchange(Request("XGROUP", "CREATE", "s", "h", "$"));
        first.Send(ReadGroup("g", "a", "BLOCK", "0", "STREAMS", "s", ">"));
        second.Send(ReadGroup("g", "b", "BLOCK", "0", "STREAMS", "s", ">"));
        third.Send(ReadGroup("h", "c", "BLOCK", "0", "NOACK", "STREAMS", "s", ">"));

        other.Exchange(Request("XADD", "s", "1-1", "f", "v"));

        await ExpectAsync(first, "*1\r\n" + Stream("s", "1-1"));
        await ExpectAsync(third, "*1\r\n" + Stream("s", "1-1"));
        Assert.Empty(second.ReadAll());
        other.Exchange(Request("XADD", "s", "2-1", "f", "v"));
        await ExpectAsync(second, "*1\r\n" + Stream("s", "2-1"));
        Assert.Equal(
            "*4\r\n:2\r\n$3\r\n1-1\r\n$3\r\n2-1\r\n*2\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n*2\r\n$1\r\nb\r\n$1\r\n1\r\n"
            + "*4\r\n:0\r\n$-1\r\n$-1\r\n*-1\r\n",
            other.Exchange(Request("XPENDING", "s", "g") + Request("XPENDING", "s", "h")));
    }

    [Theory]
    [InlineData("XGROUP DESTROY s g", "-NOGROUP the consumer group this client was blocked on no longer exists\r\n")]
    [InlineData("DEL s", "-UNBLOCKED the stream key no longer exists\r\n")]
    [InlineData("SET s v", "-UNBLOCKED the stream key no longer exists\r\n")]
    [InlineData("RENAME s t", "-UNBLOCKED the stream key no longer exists\r\n")]
    [InlineData("FLUSHALL", "-UNBLOCKED the stream key no longer exists\r\n")]
    public async Task End_OfTheGroup_EndsTheWaitOfItsConsumers(string line, string reply)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"));
        waiting.Send(ReadGroup("g", "a", "BLOCK", "0", "STREAMS", "s", ">"));

        other.Send(Request(line.Split(' ')));

        await ExpectAsync(waiting, reply);
    }

    [Fact]
    public async Task Add_OfMany_IsDeliveredByTheConsumersOwnThread()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM"));
        waiting.Send(ReadGroup("g", "a", "BLOCK", "0", "STREAMS", "s", ">"));
        string value = new('x', 200_000);

        other.Exchange(Request("XADD", "s", "1-1", "f", value));

        await ExpectAsync(
            waiting, $"*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$200000\r\n{value}\r\n");
    }

    [Fact]
    public async Task Timeout_IsANullArray()
    {
        await using var server = await StartAsync(bounds: _shared);
        var waiting = server.Connect();
        waiting.Send(Read("BLOCK", "250", "STREAMS", "s", "$") + Request("PING"));
        Clock.Advance(TimeSpan.FromMilliseconds(249));
        Assert.Empty(waiting.ReadAll());

        Clock.Advance(TimeSpan.FromMilliseconds(1));

        await ExpectAsync(waiting, "*-1\r\n+PONG\r\n");
    }

    [Fact]
    public async Task Transaction_DoesNotWait()
    {
        await using var server = await StartAsync(bounds: _shared);
        string replies = server.Connect().Exchange(
            Request("MULTI") + Read("BLOCK", "0", "STREAMS", "s", "$") + Request("EXEC"));
        Assert.Equal("+OK\r\n+QUEUED\r\n*1\r\n*-1\r\n", replies);
    }

    private static string Read(params string[] words) => Request(["XREAD", .. words]);

    private static string ReadGroup(string group, string consumer, params string[] words) =>
        Request(["XREADGROUP", "GROUP", group, consumer, .. words]);

    private static string Stream(string key, params string[] ids) => $"*2\r\n${key.Length}\r\n{key}\r\n{Entries(ids)}";

    private static string Entries(params string[] ids) =>
        $"*{ids.Length}\r\n"
        + string.Concat(ids.Select(id => $"*2\r\n${id.Length}\r\n{id}\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n"));

    private static async Task ExpectAsync(InMemoryClient client, string reply)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        end.CancelAfter(TimeSpan.FromSeconds(60));
        Assert.Equal(reply, Encoding.Latin1.GetString(await client.ReadAsync(reply.Length, end.Token)));
    }
}
