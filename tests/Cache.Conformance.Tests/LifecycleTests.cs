using Cache.Server;

namespace Cache.Conformance.Tests;

/// <summary>How connections begin and end, and that one does not disturb another.</summary>
public sealed class LifecycleTests
{
    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Connections_ManyAtOnce_ShareOneStore(ServerDoor door)
    {
        const int Clients = 64;
        const int Increments = 200;
        await using var server = await ServerFixture.StartAsync(door);
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(async i =>
        {
            await using var client = await server.ConnectAsync();
            for (int n = 1; n <= Increments; n++)
            {
                await client.ExpectAsync($"INCR own:{i}", $":{n}\r\n");
                await client.SendAsync("INCR shared\r\n");
                while (!(await client.ReadAsync(1)).EndsWith('\n'))
                    continue;
            }
        }));

        await using var last = await server.ConnectAsync();
        await last.ExpectAsync("DBSIZE", $":{Clients + 1}\r\n");
        await last.ExpectAsync("INCR shared", $":{(Clients * Increments) + 1}\r\n");
    }

    public static TheoryData<(string Request, string Replies), ServerDoor> EndRows { get; } =
        ServerFixture.WithDoors(
        ("PING\r\nQUIT\r\nPING\r\n", "+PONG\r\n+OK\r\n"),
        ("PING\r\n*x\r\nPING\r\n", "+PONG\r\n-ERR Protocol error: invalid multibulk length\r\n"));

    [Theory]
    [MemberData(nameof(EndRows))]
    public async Task End_AfterTheReplies_ClosesAndExecutesNothingMore(
        (string Request, string Replies) row, ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();

        await client.SendAsync(row.Request);

        Assert.Equal(row.Replies, await client.ReadToEndAsync());
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task ClientThatEndsSending_GetsWhatItAskedFor(ServerDoor door)
    {
        const int Count = 1000;
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();

        await client.SendAsync(string.Concat(Enumerable.Repeat("PING\r\n", Count)) + "*1\r\n$4\r\nPI");
        client.EndSending();

        Assert.Equal(string.Concat(Enumerable.Repeat("+PONG\r\n", Count)), await client.ReadToEndAsync());
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task ClientThatDies_DisturbsNobody(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var bystander = await server.ConnectAsync();
        await bystander.ExpectAsync("SET k v", "+OK\r\n");

        for (int i = 0; i < 20; i++)
        {
            var client = await server.ConnectAsync();
            await client.SendAsync("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100\r\nhalf of it");
            client.Reset();
        }

        await bystander.ExpectAsync("GET k", "$1\r\nv\r\n");
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task SlowReader_GetsEverythingInTheEnd(ServerDoor door)
    {
        const int Length = 1_000_000;
        const int Count = 20;
        string value = new('v', Length);
        await using var server = await ServerFixture.StartAsync(door);
        await using var slow = await server.ConnectAsync();
        await using var quick = await server.ConnectAsync();
        await quick.ExchangeAsync($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${Length}\r\n{value}\r\n", "+OK\r\n");

        await slow.SendAsync(string.Concat(Enumerable.Repeat("GET k\r\n", Count)));
        await quick.ExpectAsync("PING", "+PONG\r\n");

        for (int i = 0; i < Count; i++)
            Assert.Equal($"${Length}\r\n{value}\r\n", await slow.ReadAsync(Length + 12));
    }

    [Theory]
    [MemberData(nameof(ServerFixture.PlainDoors), MemberType = typeof(ServerFixture))]
    public async Task ClientBeyondTheLimit_IsToldAndClosed(ServerDoor door)
    {
        var options = new RespServerOptions { MaxClients = 1, ReservedClients = 0 };
        await using var server = await ServerFixture.StartAsync(door, options);
        await using var first = await server.ConnectAsync();
        await first.ExpectAsync("PING", "+PONG\r\n");

        await using var second = await server.ConnectAsync();

        Assert.Equal("-ERR max number of clients reached\r\n", await second.ReadToEndAsync());
        await first.ExpectAsync("PING", "+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Password_IsAskedForAndGranted(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(
            door, new RespServerOptions { RequirePass = "secret" });
        await using var client = await server.ConnectAsync();

        await client.ExpectAsync("GET k", "-NOAUTH Authentication required.\r\n");
        await client.ExpectAsync(
            "AUTH wrong", "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
        await client.ExchangeAsync("AUTH secret\r\nPING\r\n", "+OK\r\n+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(ServerFixture.Doors), MemberType = typeof(ServerFixture))]
    public async Task Stop_AnswersWhatWasReceivedAndCloses(ServerDoor door)
    {
        await using var server = await ServerFixture.StartAsync(door);
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING", "+PONG\r\n");

        await server.Server.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal("", await client.ReadToEndAsync());
    }
}
