using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Clients that send, and do not take their replies.</summary>
public sealed class SlowClientTests : ConnectionTestBase
{
    // What may lie in both pipes, and one batch of replies on the way from one to the other.
    private const int HeldBytesMax = (256 + 64 + 64 + 8) * 1024;

    private static readonly string _value = new('v', 1000);

    [Fact]
    public async Task Send_WithoutReading_IsPausedWithinTheBounds()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        int sent = SendUntilPaused(client);

        Assert.InRange(sent * Bulk(_value).Length, 64 * 1024, HeldBytesMax);
        Assert.InRange(server.Server.State.Clients.Find(1)!.PendingOutputBytes, 1, 72 * 1024);
        client.Vanish();
    }

    [Fact]
    public async Task Read_AfterAPause_GetsEveryReplyInOrder()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        int sent = SendUntilPaused(client);
        string replies = Encoding.Latin1.GetString(client.ReadAll());

        Assert.Equal(Repeat(Bulk(_value), sent), replies);
        Assert.False(client.IsPaused);
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
    }

    [Fact]
    public async Task Pause_OfOneClient_DoesNotTouchOthers()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();

        SendUntilPaused(client);

        Assert.Equal("+PONG\r\n", other.Exchange(Request("PING")));
        client.Vanish();
    }

    [Fact]
    public async Task Pause_LongerThanTheTimeout_Disconnects()
    {
        await using var server = await StartAsync(new RespServerOptions { Timeout = TimeSpan.FromSeconds(60) });
        var client = server.Connect();

        SendUntilPaused(client);
        Clock.Advance(TimeSpan.FromSeconds(62));

        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task UnreadReply_BelowTheBound_Disconnects()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        client.Send(Request("PING"));
        AdvanceBySeconds(30);
        Assert.Equal(1, server.Server.State.Clients.Count);
        AdvanceBySeconds(2);

        client.ReadAll();
        Assert.True(client.IsClosed);
    }

    [Fact]
    public async Task Pause_WithoutProgress_Disconnects()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();

        SendUntilPaused(client);
        AdvanceBySeconds(29);
        Assert.Equal(2, server.Server.State.Clients.Count);
        AdvanceBySeconds(3);

        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Equal("+PONG\r\n", other.Exchange(Request("PING")));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(60)]
    public async Task Pause_WithProgress_GoesOn(int timeoutSeconds)
    {
        await using var server = await StartAsync(
            new RespServerOptions { Timeout = TimeSpan.FromSeconds(timeoutSeconds) });
        var client = server.Connect();

        SendUntilPaused(client);
        for (int i = 0; i < 10; i++)
        {
            AdvanceBySeconds(20);
            await client.ReadAsync(100, TestContext.Current.CancellationToken);
        }

        Assert.True(client.IsPaused);
        Assert.Equal(1, server.Server.State.Clients.Count);
        client.Vanish();
    }

    [Fact]
    public async Task Pause_WithTheTimeoutOff_GoesOn()
    {
        await using var server = await StartAsync(new RespServerOptions { OutputStallTimeout = TimeSpan.Zero });
        var client = server.Connect();

        SendUntilPaused(client);
        AdvanceBySeconds(200);

        Assert.Equal(1, server.Server.State.Clients.Count);
        client.Vanish();
    }

    [Fact]
    public async Task RepliesThatWait_CountAsTheStoresMemory_AndAreShown()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();
        long before = Store.GetStatistics().MemoryBytes;

        SendUntilPaused(client);

        long pending = server.Server.State.Clients.Find(1)!.PendingOutputBytes;
        Assert.InRange(pending, 1, HeldBytesMax);
        Assert.Equal(before + pending, Store.GetStatistics().MemoryBytes);
        long held = pending + (2 * ClientMemory.IdleClientBytes);
        Assert.Contains($"mem_clients_normal:{held}\r\n", other.Exchange("INFO memory\r\n"));
        long peak = FieldOf(other.Exchange("INFO clients\r\n"), "client_recent_max_output_buffer");
        Assert.InRange(peak, pending, HeldBytesMax);
        client.ReadAll();
        Assert.Equal(before, Store.GetStatistics().MemoryBytes);
        client.Vanish();
    }

    [Fact]
    public async Task UnreadReply_BelowTheBound_CountsWhileItLies()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var gone = server.Connect();
        long before = server.Server.State.ClientMemory.Bytes;

        client.Send(Request("ECHO", _value));
        gone.Send(Request("ECHO", _value));
        AdvanceBySeconds(2);
        long held = server.Server.State.ClientMemory.Bytes;
        Assert.Equal(before + (2 * Bulk(_value).Length), held);
        Assert.Equal(Bulk(_value).Length, server.Server.State.Clients.Find(1)!.HeldBytes);

        client.ReadAll();
        gone.Vanish();
        AdvanceBySeconds(2);
        Assert.Equal(before - ClientMemory.IdleClientBytes, server.Server.State.ClientMemory.Bytes);
    }

    private static long FieldOf(string info, string name) => long.Parse(
        Regex.Match(info, $@"\n{name}:(\d+)\r").Groups[1].ValueSpan, CultureInfo.InvariantCulture);

    // In steps of the sweep, as time goes.
    private void AdvanceBySeconds(int seconds)
    {
        for (int i = 0; i < seconds; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
    }

    private static int SendUntilPaused(InMemoryClient client)
    {
        byte[] request = Encoding.Latin1.GetBytes(Request("ECHO", _value));
        int sent = 0;
        for (; !client.IsPaused && sent < 10_000; sent++)
            client.Send(request);
        return sent;
    }
}
