using System.Text;
using Cache.Core;

namespace Cache.Near.Tests;

/// <summary>The promise of docs/scale-out.md, where the second level has connections of its own.</summary>
public sealed class HybridCoherenceTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Get_AfterARead_AsksNoSecondLevel()
    {
        await using var redis = new FakeRedis();
        await using var writer = await CoherentHybrid.StartAsync(redis);
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(writer, "1", "one");
        await UntilToldAsync(redis, reader);
        for (int i = 0; i < 5; i++)
            Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal(1, reader.Level.ReadCount);
        Assert.Equal(0, reader.Made);
        Assert.Contains("CLIENT TRACKING ON BCAST PREFIX a:", redis.Requests);
    }

    // Line 2.
    [Fact]
    public async Task Get_AfterAnothersWrite_IsTheNewValue()
    {
        await using var redis = new FakeRedis();
        await using var writer = await CoherentHybrid.StartAsync(redis);
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await writer.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await writer.Cache.SetAsync("2", "other", cancellationToken: Cancellation);
        await UntilToldAsync(redis, reader);
        Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal("other", await reader.GetAsync("2"));
        await writer.Cache.SetAsync("1", "two", cancellationToken: Cancellation);
        await UntilToldAsync(redis, reader);
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.Equal("other", await reader.GetAsync("2"));
        Assert.Equal(3, reader.Level.ReadCount);
        await writer.Cache.RemoveAsync("1", Cancellation);
        await UntilToldAsync(redis, reader);
        Assert.Equal(5, reader.Status.UsefulPushes); // Three of them are of what the test waits for.
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    // Line 1: the value comes on another connection than the change, after it.
    [Fact]
    public async Task Get_KeyThatChangesWhileItIsRead_IsNotKept()
    {
        await using var redis = new FakeRedis();
        await using var writer = await CoherentHybrid.StartAsync(redis);
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await writer.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        await writer.Cache.SetAsync("2", "other", cancellationToken: Cancellation);
        await UntilToldAsync(redis, reader);
        reader.Level.HoldReads();
        var read = reader.GetAsync("1").AsTask();
        var other = reader.GetAsync("2").AsTask();
        await CoherentHybrid.UntilAsync(() => reader.Level.ReadCount == 2);
        await writer.Cache.SetAsync("1", "two", cancellationToken: Cancellation);
        await UntilToldAsync(redis, reader);
        // Who asks after the change does not wait for the read of before.
        var later = reader.GetAsync("1").AsTask();
        await CoherentHybrid.UntilAsync(() => reader.Level.ReadCount == 3);
        reader.Level.Release();
        Assert.Equal("one", await read);
        Assert.Equal("two", await later);
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.Equal("other", await other);
        Assert.Equal("other", await reader.GetAsync("2"));
        Assert.Equal(3, reader.Level.ReadCount);
    }

    // The same alone: nobody has read the new value meanwhile, which would stand in the way of the old one.
    [Fact]
    public async Task Get_KeyThatChangesWhileItIsReadOnce_IsReadAgain()
    {
        await using var redis = new FakeRedis();
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        reader.Level.HoldReads();
        var read = reader.GetAsync("1").AsTask();
        await CoherentHybrid.UntilAsync(() => reader.Level.ReadCount == 1);
        redis.Delete("a:1");
        await UntilToldAsync(redis, reader);
        reader.Level.Release();
        Assert.Equal("one", await read);
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    // What was asked for before a link is kept for that link's time, however late it comes.
    [Fact]
    public async Task Get_LinkThatIsLostWhileAKeyIsRead_IsNotKept()
    {
        await using var redis = new FakeRedis();
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        reader.Level.HoldReads();
        var read = reader.GetAsync("1").AsTask();
        await CoherentHybrid.UntilAsync(() => reader.Level.ReadCount == 1);
        redis.Disconnect();
        redis.DeleteSilently("a:1");
        await CoherentHybrid.UntilAsync(() => reader.Status is { IsCoherent: true, Clears: 2 });
        reader.Level.Release();
        Assert.Equal("one", await read);
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    // Line 2: what a silent link proves runs out by itself.
    [Fact]
    public async Task Get_NoHeartbeatAnswered_AsksTheSecondLevel()
    {
        await using var redis = new FakeRedis();
        var clock = new FakeClock();
        await using var reader = await CoherentHybrid.StartAsync(redis, clock);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        Assert.Equal("one", await reader.GetAsync("1"));
        redis.Hold("ROLE");
        int beats = redis.CountOf("ROLE");
        await CoherentHybrid.UntilAsync(() => redis.CountOf("ROLE") > beats);
        redis.SetSilently("a:1", redis.Get("a:1")!.Replace("one", "two", StringComparison.Ordinal));
        clock.Advance(TimeSpan.FromMilliseconds(299));
        Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal(0, reader.Status.Bypasses);
        clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.False(reader.Status.IsCoherent);
        Assert.NotEqual(0, reader.Status.Bypasses);
        int reads = reader.Level.ReadCount;
        redis.Release();
        await CoherentHybrid.UntilAsync(() => reader.Status.IsCoherent);
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.Equal("two", await reader.GetAsync("1"));
        Assert.InRange(reader.Level.ReadCount, reads, reads + 1);
    }

    [Fact]
    public async Task Get_AfterTheLinkWasLost_ForgetsWhatItHad()
    {
        await using var redis = new FakeRedis();
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        for (int i = 0; i < 3; i++)
            Assert.Equal("one", await reader.GetAsync("1"));
        Assert.Equal(new byte[] { 5 }, await GetBytesAsync(reader));
        redis.DeleteSilently("a:1");
        redis.DeleteSilently("a:bytes");
        redis.Disconnect();
        await CoherentHybrid.UntilAsync(() => reader.Status is { IsCoherent: true, Clears: 2 });
        Assert.Equal("made 1", await reader.GetAsync("1"));
        Assert.Equal(new byte[] { 6 }, await GetBytesAsync(reader));
    }

    [Fact]
    public async Task Get_AfterAFlush_ForgetsWhatItHad()
    {
        await using var redis = new FakeRedis();
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        Assert.Equal("one", await reader.GetAsync("1"));
        redis.DeleteSilently("a:1");
        redis.PushAll(">2\r\n$10\r\ninvalidate\r\n_\r\n");
        await CoherentHybrid.UntilAsync(() => reader.Status.Clears == 2);
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    [Fact]
    public async Task Get_ServerIsNoPrimaryAnyMore_AsksTheSecondLevel()
    {
        await using var redis = new FakeRedis();
        await using var reader = await CoherentHybrid.StartAsync(redis);
        await SetAsync(reader, "1", "one");
        await UntilToldAsync(redis, reader);
        Assert.Equal("one", await reader.GetAsync("1"));
        redis.Role = "slave";
        await CoherentHybrid.UntilAsync(() => !reader.Status.IsCoherent);
        redis.DeleteSilently("a:1");
        Assert.Equal("made 1", await reader.GetAsync("1"));
    }

    // The server tells of our own write too, perhaps before the second level has returned from it.
    [Fact]
    public async Task Get_OwnWriteIsToldOf_StaysInTheSecondLevel()
    {
        await using var redis = new FakeRedis();
        await using var hybrid = await CoherentHybrid.StartAsync(redis);
        hybrid.Level.HoldWrites();
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        await CoherentHybrid.UntilAsync(() => hybrid.Status.UsefulPushes == 1);
        Assert.Equal("made 1", await hybrid.GetAsync("1")); // Of the second level.
        hybrid.Level.Release();
        await hybrid.UntilIdleAsync();
        Assert.NotNull(redis.Get("a:1"));
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        Assert.Equal(1, hybrid.Made);
    }

    // A factory that began before another's write does not write its older value over that.
    [Fact]
    public async Task Get_AnotherWritesWhileTheFactoryRuns_ItsValueStays()
    {
        await using var redis = new FakeRedis();
        await using var writer = await CoherentHybrid.StartAsync(redis);
        await using var hybrid = await CoherentHybrid.StartAsync(redis);
        var made = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var call = hybrid.Cache.GetOrCreateAsync("1", MakeAsync, cancellationToken: Cancellation).AsTask();
        await started.Task.WaitAsync(Cancellation);
        await writer.Cache.SetAsync("1", "new", cancellationToken: Cancellation);
        await UntilToldAsync(redis, hybrid);
        made.SetResult("old");
        Assert.Equal("old", await call);
        await hybrid.UntilIdleAsync();
        Assert.Equal("new", await hybrid.GetAsync("1"));
        Assert.Equal("new", await writer.GetAsync("1"));

        ValueTask<string> MakeAsync(CancellationToken token)
        {
            started.SetResult();
            return new ValueTask<string>(made.Task);
        }
    }

    // Line 3.
    [Fact]
    public async Task Set_Awaited_NoOlderValueIsRead()
    {
        await using var redis = new FakeRedis();
        await using var hybrid = await CoherentHybrid.StartAsync(redis);
        for (int i = 0; i < 100; i++)
        {
            await hybrid.Cache.SetAsync("1", $"value {i}", cancellationToken: Cancellation);
            Assert.Equal($"value {i}", await hybrid.GetAsync("1"));
        }

        await hybrid.Cache.RemoveAsync("1", Cancellation);
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
    }

    // Whether it was made there nobody knows; what others write there would not be seen behind it.
    [Fact]
    public async Task Set_SecondLevelFails_NothingIsKept()
    {
        await using var redis = new FakeRedis();
        await using var hybrid = await CoherentHybrid.StartAsync(redis);
        await hybrid.Cache.SetAsync("1", "one", cancellationToken: Cancellation);
        Assert.Equal("one", await hybrid.GetAsync("1"));
        hybrid.Level.Failure = new IOException("The link is cut.");
        await Assert.ThrowsAsync<IOException>(
            async () => await hybrid.Cache.SetAsync("1", "two", cancellationToken: Cancellation));
        hybrid.Level.Failure = null;
        Assert.Equal("one", await hybrid.GetAsync("1"));
    }

    [Fact]
    public async Task RemoveByTag_OfAnother_IsSeen()
    {
        await using var redis = new FakeRedis();
        await using var writer = await CoherentHybrid.StartAsync(redis);
        await using var reader = await CoherentHybrid.StartAsync(redis);
        Assert.Equal("made 1", await reader.GetAsync("1", tags: ["red"]));
        Assert.Equal("made 2", await reader.GetAsync("2", tags: ["blue"]));
        await reader.UntilIdleAsync();
        await UntilToldAsync(redis, reader);
        await writer.Cache.RemoveByTagAsync("red", Cancellation);
        await UntilToldAsync(redis, reader);
        Assert.Equal("made 3", await reader.GetAsync("1", tags: ["red"]));
        Assert.Equal("made 2", await reader.GetAsync("2", tags: ["blue"]));
        await reader.UntilIdleAsync();
        await UntilToldAsync(redis, reader);
        await writer.Cache.RemoveByTagAsync("*", Cancellation);
        await UntilToldAsync(redis, reader);
        Assert.Equal("made 4", await reader.GetAsync("2", tags: ["blue"]));
    }

    // A file of an earlier process, another door: none of it came under this link.
    [Fact]
    public async Task Get_ValueThatSomethingElseHasLeftInTheStore_DoesNotCount()
    {
        await using var redis = new FakeRedis();
        await using var earlier = await CoherentHybrid.StartAsync(redis);
        await SetAsync(earlier, "1", "one");
        await UntilToldAsync(redis, earlier);
        Assert.Equal("one", await earlier.GetAsync("1"));
        byte[] left = earlier.Store.GetArray("1"u8)!;
        await using var hybrid = await CoherentHybrid.StartAsync(redis);
        redis.DeleteSilently("a:1");
        hybrid.Store.Set("1"u8, left, new EntryOptions());
        hybrid.Store.Set("2"u8, "plain"u8, new EntryOptions());
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        Assert.Equal("made 2", await hybrid.GetAsync("2"));
    }

    [Fact]
    public async Task Get_ValueOfLongLife_IsKeptForTheMaximumAge()
    {
        await using var redis = new FakeRedis();
        await using var hybrid = await CoherentHybrid.StartAsync(
            redis, configure: static options => options.MaximumAge = TimeSpan.FromMilliseconds(50));
        await SetAsync(hybrid, "1", "one");
        await UntilToldAsync(redis, hybrid);
        Assert.Equal("one", await hybrid.GetAsync("1"));
        redis.DeleteSilently("a:1");
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (await hybrid.FindAsync("1") is not null)
            await Task.Delay(5, limit.Token);
    }

    // Fail-safe keeps values beyond their lives, but not beyond what is promised.
    [Fact]
    public async Task Get_FailSafe_ServesNothingOlderThanTheMaximumAge()
    {
        await using var redis = new FakeRedis();
        await using var hybrid = await CoherentHybrid.StartAsync(
            redis,
            configure: static options => options.MaximumAge = TimeSpan.FromMilliseconds(50),
            failSafe: TimeSpan.FromHours(1));
        await SetAsync(hybrid, "1", "one");
        await UntilToldAsync(redis, hybrid);
        Assert.Equal("one", await hybrid.GetAsync("1"));
        redis.DeleteSilently("a:1");
        await CoherentHybrid.UntilAsync(() => !hybrid.Store.Contains("1"u8));
        await Assert.ThrowsAsync<IOException>(async () => await hybrid.Cache.GetOrCreateAsync<string>(
            "1", static _ => throw new IOException("The source is away."), cancellationToken: Cancellation));
    }

    // In a cluster the lease is that of the primary which has the key.
    [Fact]
    public async Task Get_OnePrimaryOfACluster_CountsByItself()
    {
        await using var first = new FakeRedis();
        await using var second = new FakeRedis();
        List<(int, int, FakeRedis)> slots = [(0, 8191, first), (8192, 16383, second)];
        first.Slots = second.Slots = slots;
        await using var hybrid = await CoherentHybrid.StartAsync(
            first, before: hybrid => hybrid.Level.Failure = new IOException("Not now."));
        Assert.False(hybrid.Status.IsProved);
        await CoherentHybrid.UntilAsync(() => hybrid.Status.Nodes.Count(node => node.IsCoherent) == 2);
        hybrid.Level.Failure = null;
        await CoherentHybrid.UntilAsync(() => hybrid.Status.IsCoherent);
        await hybrid.GetAsync("1"); // Slot 14649 of a:1, and 2388 of a:2.
        await hybrid.GetAsync("2");
        await hybrid.UntilIdleAsync();
        await UntilToldAsync(first, hybrid);
        Assert.Equal(("made 1", "made 2"), (await hybrid.GetAsync("1"), await hybrid.GetAsync("2")));
        second.AnswerWith("HELLO", "-LOADING\r\n");
        second.Disconnect();
        await CoherentHybrid.UntilAsync(() => hybrid.Status.Nodes.Count(node => node.IsCoherent) == 1);
        int reads = hybrid.Level.ReadCount;
        Assert.Equal("made 2", await hybrid.GetAsync("2"));
        Assert.Equal(reads, hybrid.Level.ReadCount);
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        Assert.Equal(reads + 1, hybrid.Level.ReadCount);
    }

    // A slot that is taken by force is deleted at its former owner, which tells nobody.
    [Fact]
    public async Task Get_SlotThatWasLost_ForgetsWhatItHad()
    {
        await using var first = new FakeRedis();
        await using var second = new FakeRedis();
        first.Slots = second.Slots = [(0, 8191, first), (8192, 16383, second)];
        await using var hybrid = await CoherentHybrid.StartAsync(first);
        await hybrid.GetAsync("1");
        await hybrid.UntilIdleAsync();
        await UntilToldAsync(first, hybrid);
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        int reads = hybrid.Level.ReadCount;
        Assert.Equal("made 1", await hybrid.GetAsync("1"));
        Assert.Equal(reads, hybrid.Level.ReadCount);
        long clears = hybrid.Status.Clears;
        first.DeleteSilently("a:1");
        first.Slots = second.Slots = [(0, 16383, first)];
        await CoherentHybrid.UntilAsync(() => hybrid.Status.Clears > clears && hybrid.Status.Nodes.Count == 1);
        Assert.Equal("made 2", await hybrid.GetAsync("1"));
    }

    private static async Task SetAsync(CoherentHybrid hybrid, string key, string value) =>
        await hybrid.Cache.SetAsync(key, value, cancellationToken: Cancellation);

    private static async Task<byte[]> GetBytesAsync(CoherentHybrid hybrid)
    {
        byte next = (byte)(hybrid.Status.Clears == 1 ? 5 : 6);
        return await hybrid.Cache.GetOrCreateAsync(
            "bytes", _ => ValueTask.FromResult(new[] { next }), cancellationToken: Cancellation);
    }

    // Pushes come in order: one more tells that those of before have been applied.
    private static async Task UntilToldAsync(FakeRedis redis, CoherentHybrid hybrid)
    {
        long pushes = hybrid.Status.UsefulPushes;
        hybrid.Store.Set("told"u8, Encoding.ASCII.GetBytes("x"), new EntryOptions());
        redis.Delete("a:told");
        await CoherentHybrid.UntilAsync(() => hybrid.Status.UsefulPushes > pushes && !hybrid.Store.Contains("told"u8));
    }
}
