using System.Text;
using Cache.Client;

namespace Cache.Near.Tests;

public sealed class ClusterTests
{
    private const int Half = 8192;

    // Slots 15495 and 3300: one in each half.
    private const string High = "a";
    private const string Low = "b";

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Get_KeysOfTwoPrimaries_AreReadAndKept()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        Assert.Equal("low", await GetAsync(near, Low));
        Assert.Equal("high", await GetAsync(near, High));
        Assert.Equal("low", await GetAsync(near, Low));
        Assert.Equal((1, 0), (cluster.First.CountOf("GET " + Low), cluster.Second.CountOf("GET " + Low)));
        Assert.Equal((0, 1), (cluster.First.CountOf("GET " + High), cluster.Second.CountOf("GET " + High)));
    }

    // Line 4: the former owner says nothing, deletes its keys, and its epoch may stay.
    [Fact]
    public async Task Get_SlotTakenByForce_IsReadAtItsOwnerAfterTheNextCheck()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        await GetAsync(near, Low);
        await GetAsync(near, High);
        cluster.Second.SetSilently(Low, "new");
        cluster.GiveAllTo(cluster.Second);
        await UntilAsync(async () => await GetAsync(near, Low) == "new");
        Assert.Equal(1, cluster.Second.CountOf("GET " + High));
    }

    [Fact]
    public async Task Get_MovedKey_FollowsAndChecksAtOnce()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        cluster.Second.SetSilently(Low, "new");
        cluster.GiveAllTo(cluster.Second);
        Assert.Equal("new", await GetAsync(near, Low));
    }

    // A primary that has lost its slots is linked no more, in the middle of its reads.
    [Fact]
    public async Task Get_LinkThatEndsWhileAKeyIsRead_AsksTheOwner()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        cluster.First.Hold("GET");
        var read = GetAsync(near, Low);
        await UntilAsync(() => cluster.First.CountOf("GET " + Low) == 1);
        cluster.Second.SetSilently(Low, "new");
        cluster.GiveAllTo(cluster.Second);
        cluster.Clock.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal("new", await read);
    }

    [Fact]
    public async Task Set_MovedKey_Follows()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        cluster.GiveAllTo(cluster.Second);
        await near.SetAsync(Low, "mine"u8.ToArray(), null, Cancellation);
        Assert.Equal("mine", cluster.Second.Get(Low));
        Assert.Equal("mine", await GetAsync(near, Low));
    }

    // The guard: an answer of who was the owner when it was asked is given to who waits, and not kept.
    [Fact]
    public async Task Get_OwnerChangesWhileItIsRead_IsNotKept()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        cluster.First.Hold("GET");
        var read = near.GetAsync(Low, Cancellation);
        await UntilAsync(() => cluster.First.CountOf("GET " + Low) == 1);
        cluster.Second.SetSilently(Low, "new");
        cluster.GiveAllButOneToSecond();
        cluster.Clock.Advance(TimeSpan.FromMilliseconds(300));
        int checks = cluster.Second.CountOf("CLUSTER SLOTS");
        await UntilAsync(() => cluster.Second.CountOf("CLUSTER SLOTS") >= checks + 2);
        cluster.First.Release();
        Assert.Equal("low", Encoding.UTF8.GetString((await read)!));
        Assert.Equal("new", await GetAsync(near, Low));
    }

    // Two claim a slot, in a cluster that is cut in two: the one that is read from stays, until it is silent.
    [Fact]
    public async Task Get_SlotClaimedTwice_IsReadWhereItWas()
    {
        await using var cluster = new TwoNodes();
        await using var near = await cluster.StartAsync();
        cluster.Second.Slots = [(0, 16383, cluster.Second)];
        int checks = cluster.Second.CountOf("CLUSTER SLOTS");
        await UntilAsync(() => cluster.Second.CountOf("CLUSTER SLOTS") >= checks + 2);
        Assert.Equal("low", await GetAsync(near, Low));
    }

    private static async Task<string?> GetAsync(NearCache near, string key) =>
        await near.GetAsync(key, Cancellation) is { } value ? Encoding.UTF8.GetString(value) : null;

    private static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()));

    private static async Task UntilAsync(Func<Task<bool>> condition)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(_patience);
        while (!await condition())
            await Task.Delay(5, limit.Token);
    }

    private sealed class TwoNodes : IAsyncDisposable
    {
        public TwoNodes()
        {
            First.Slots = Second.Slots = [(0, Half - 1, First), (Half, 16383, Second)];
            First.SetSilently(Low, "low");
            Second.SetSilently(High, "high");
        }

        public FakeRedis First { get; } = new();

        public FakeRedis Second { get; } = new();

        public FakeClock Clock { get; } = new();

        public void GiveAllTo(FakeRedis owner) => First.Slots = Second.Slots = [(0, 16383, owner)];

        // The first one stays a primary, so that its link stays too.
        public void GiveAllButOneToSecond() => First.Slots = Second.Slots = [(0, 0, First), (1, 16383, Second)];

        public async Task<NearCache> StartAsync()
        {
            var options = new NearCacheOptions
            {
                StalenessBound = TimeSpan.FromMilliseconds(300),
                Layout = NearLayout.Plain,
                MemoryLimitBytes = 4 << 20,
                AllKeys = true,
            };
            options.Servers.EndPoints.Add(First.EndPoint);
            options.Servers.ReplyTimeout = options.Servers.ConnectTimeout = _patience;
            var near = new NearCache(options, Clock.Clock);
            await near.StartAsync(Cancellation);
            await UntilAsync(() => near.Status is { IsCoherent: true, Nodes.Count: 2 });
            return near;
        }

        public async ValueTask DisposeAsync()
        {
            await First.DisposeAsync();
            await Second.DisposeAsync();
        }
    }
}
