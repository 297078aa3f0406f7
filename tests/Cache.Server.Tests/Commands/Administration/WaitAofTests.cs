using Cache.Durability;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>WAITAOF: whether a client's writes are on disk.</summary>
public sealed class WaitAofTests : ConnectionTestBase, IAsyncLifetime
{
    private const string Durable = "*2\r\n:1\r\n:0\r\n";
    private const string NotDurable = "*2\r\n:0\r\n:0\r\n";
    private const string Off =
        "-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n";

    private readonly string _folder = Directory.CreateTempSubdirectory("cache-test-").FullName;
    private CacheDurability? _durability;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync() => default;

    public async ValueTask DisposeAsync()
    {
        if (_durability is not null)
            await _durability.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("a", "0", "0", "value is not an integer or out of range")]
    [InlineData("2", "0", "0", "value is out of range, value must between 0 and 1")]
    [InlineData("-1", "0", "0", "value is out of range, value must between 0 and 1")]
    [InlineData("1", "-1", "0", "value is out of range, must be positive")]
    [InlineData("1", "a", "0", "value is out of range, must be positive")]
    [InlineData("1", "0", "a", "timeout is not an integer or out of range")]
    [InlineData("1", "0", "-1", "timeout is negative")]
    public async Task Wait_ArgumentsOutOfRange_AreRefusedWithRedisWords(
        string locals, string replicas, string timeout, string error)
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        string request = Request("WAITAOF", locals, replicas, timeout);
        Assert.Equal($"-ERR {error}\r\n", server.Connect().Exchange(request));
    }

    [Theory]
    [InlineData(SyncPolicy.EverySecond)]
    [InlineData(SyncPolicy.Always)]
    [InlineData(SyncPolicy.No)]
    public async Task Wait_ForTheJournal_EndsWithItsSync(SyncPolicy policy)
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        _durability!.Sync = policy;
        var client = server.Connect();
        Assert.Equal("+OK\r\n" + Durable, await RunAsync(
            client, "+OK\r\n" + Durable, Request("SET", "a", "1") + Request("WAITAOF", "1", "0", "0")));
        Assert.Equal(Durable, await RunAsync(client, Durable, Request("WAITAOF", "1", "0", "0")));
        Assert.Equal(Durable, await RunAsync(client, Durable, Request("WAITAOF", "0", "0", "0")));
    }

    [Fact]
    public async Task Wait_WithoutAJournal_IsRefusedUnlessItAsksForNone()
    {
        await using var server = await StartAsync(DurabilityMode.Snapshot);
        var client = server.Connect();
        Assert.Equal(Off, client.Exchange(Request("WAITAOF", "1", "0", "0")));
        Assert.Equal(NotDurable, client.Exchange(Request("WAITAOF", "0", "0", "0")));
    }

    [Fact]
    public async Task Wait_UntilItsTimeout_TellsWhatIsOnDisk()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        HoldSyncs();
        client.Exchange(Request("SET", "a", "1"));
        client.Send(Request("WAITAOF", "1", "0", "1000"));
        Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Empty(client.ReadAll());
        Clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(NotDurable, await RunAsync(client, NotDurable, ""));
    }

    // While a disk hangs, a client may ask again and again: that must not be a wait, and memory, each time.
    [Fact]
    public async Task Wait_Repeated_IsOneWaitUntilThereIsAChange()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        HoldSyncs();
        client.Exchange(Request("SET", "a", "1"));
        var waits = new HashSet<Task<bool>>();
        for (int i = 0; i < 20; i++)
        {
            client.Send(Request("WAITAOF", "1", "0", "1"));
            Clock.Advance(TimeSpan.FromMilliseconds(1));
            Assert.Equal(NotDurable, await RunAsync(client, NotDurable, ""));
            waits.Add(_durability!.WaitWholeAsync());
        }

        Assert.InRange(waits.Count, 1, 2); // The end of the journal moves once more, when the change is written.
        var wait = _durability!.WaitWholeAsync();
        client.Exchange(Request("SET", "a", "2"));
        Assert.NotSame(wait, _durability.WaitWholeAsync());
        _durability.Durable!.Journal.SkipsSyncs = false;
        Assert.Equal(Durable, await RunAsync(client, Durable, Request("WAITAOF", "1", "0", "0")));
        Assert.True(await wait);
    }

    [Fact]
    public async Task Wait_ForReplicas_LastsUntilItsTimeout()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        client.Exchange(Request("SET", "a", "1"));
        await _durability!.WaitAsync();
        client.Send(Request("WAITAOF", "1", "1", "1000"));
        Clock.Advance(TimeSpan.FromMilliseconds(1000));
        Assert.Equal(Durable, await RunAsync(client, Durable, ""));
    }

    [Theory]
    [InlineData("TIMEOUT", NotDurable)]
    [InlineData("ERROR", "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n")]
    public async Task Unblock_EndsIt(string how, string expected)
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        HoldSyncs();
        client.Exchange(Request("SET", "a", "1"));
        client.Send(Request("WAITAOF", "1", "0", "0"));
        Assert.Equal(":1\r\n", server.Connect().Exchange(Request("CLIENT", "UNBLOCK", "1", how)));
        Assert.Equal(expected, await RunAsync(client, expected, ""));
    }

    [Fact]
    public async Task ConfigSet_NoJournal_EndsItWithAnError()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var (client, other) = (server.Connect(), server.Connect());
        HoldSyncs();
        client.Exchange(Request("SET", "a", "1"));
        client.Send(Request("WAITAOF", "1", "0", "0"));
        Assert.Equal("+OK\r\n", await RunAsync(other, "+OK\r\n", Request("CONFIG", "SET", "appendonly", "no")));
        Assert.Equal(Off, await RunAsync(client, Off, ""));
    }

    // Writes go on unrecorded: they are not on disk, although nothing waits for them.
    [Fact]
    public async Task Wait_WhileTheJournalCannotBeWritten_SaysSo()
    {
        await using var server = await StartAsync(DurabilityMode.Journal);
        var client = server.Connect();
        _durability!.Durable!.Journal.Fail(new IOException("full"));
        client.Exchange(Request("SET", "a", "1"));
        Assert.Equal(NotDurable, client.Exchange(Request("WAITAOF", "1", "0", "0")));
    }

    private void HoldSyncs() => _durability!.Durable!.Journal.SkipsSyncs = true;

    private Task<InMemoryServer> StartAsync(DurabilityMode mode)
    {
        _durability = new CacheDurability(
            Store, new DurabilityOptions { Mode = mode, Directory = Path.Combine(_folder, "store"), SavePoints = [] });
        return StartAsync(new RespServerOptions { Durability = _durability });
    }

    private static async Task<string> RunAsync(InMemoryClient client, string expected, string requests)
    {
        if (requests.Length != 0)
            client.Send(requests);
        byte[] reply = await client.ReadAsync(expected.Length, Cancellation);
        return System.Text.Encoding.Latin1.GetString(reply);
    }
}
