using Cache.Server;
using System.Text;

namespace Cache.Conformance.Tests;

/// <summary>Requests and replies over TCP, in every size and in pieces.</summary>
public sealed class RequestTests
{
    private const string Session =
        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\n\0b\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nPING\r\n*1\r\n$6\r\nNOSUCH\r\n";

    private const string SessionReplies =
        "+OK\r\n$5\r\na\r\n\0b\r\n+PONG\r\n-ERR unknown command 'NOSUCH', with args beginning with: \r\n";

    public static TheoryData<string, ServerDoor> PingRows { get; } = ServerFixture.WithDoors(
        "PING\r\n",
        "ping\n",
        "*1\r\n$4\r\nPING\r\n");

    [Theory]
    [MemberData(nameof(PingRows))]
    public async Task Ping_InEveryForm_Pongs(string request, ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();

        await client.ExchangeAsync(request, "+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Session_CutAtEveryPosition_GetsTheSameReplies(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();

        for (int cut = 0; cut < Session.Length; cut++)
        {
            await client.SendAsync(Session[..cut]);
            await client.ExchangeAsync(Session[cut..], SessionReplies);
        }
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Session_ByteByByte_GetsTheSameReplies(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();

        foreach (char one in Session)
            await client.SendAsync(one.ToString());

        Assert.Equal(SessionReplies, await client.ReadAsync(SessionReplies.Length));
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Pipeline_OfManyRequests_IsAnsweredInOrder(ServerDoor door)
    {
        const int Count = 20_000;
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();
        var requests = new StringBuilder();
        var replies = new StringBuilder();
        for (int i = 1; i <= Count; i++)
        {
            requests.Append($"*2\r\n$4\r\nINCR\r\n$1\r\nn\r\nECHO {i}\r\n");
            replies.Append($":{i}\r\n${i.ToString().Length}\r\n{i}\r\n");
        }

        var sending = client.SendAsync(requests.ToString());
        string answer = await client.ReadAsync(replies.Length);
        await sending;

        Assert.Equal(replies.ToString(), answer);
    }

    public static TheoryData<int, ServerDoor> ValueRows { get; } =
        ServerFixture.WithDoors(0, 4096, 65_536, 8_000_000);

    [Theory]
    [MemberData(nameof(ValueRows))]
    public async Task Value_OfAnySize_ComesBackWhole(int length, ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();
        string value = new([.. Enumerable.Range(0, length).Select(i => (char)(i * 31 % 256))]);

        await client.ExchangeAsync($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${length}\r\n{value}\r\n", "+OK\r\n");
        await client.ExpectAsync("GET k", $"${length}\r\n{value}\r\n");
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Hello3_ChangesTheRepliesOfThisConnectionOnly(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var modern = await server.ConnectAsync();
        await using var classic = await server.ConnectAsync();

        await modern.SendAsync("HELLO 3\r\n");
        Assert.Equal("%7\r\n$6\r\nserver\r\n", await modern.ReadAsync(16));
        await modern.SendAsync("GET absent\r\nQUIT\r\n");

        Assert.EndsWith("_\r\n+OK\r\n", await modern.ReadToEndAsync(), StringComparison.Ordinal);
        await classic.ExpectAsync("GET absent", "$-1\r\n");
    }
}
