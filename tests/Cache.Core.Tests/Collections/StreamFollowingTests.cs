using System.Text;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class StreamFollowingTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public async Task FollowStream_ReturnsWhatIsThere_AndWhatComes()
    {
        for (int i = 0; i < 600; i++)
            Append($"{i}");
        await using var entries = FollowAll(StreamId.Zero);
        for (int i = 0; i < 600; i++)
            Assert.Equal($"{i}", await NextAsync(entries));

        var next = entries.MoveNextAsync().AsTask();
        Assert.False(next.IsCompleted);
        Store.Set("other"u8, "v"u8);
        Append("600");

        Assert.True(await next.WaitAsync(TimeSpan.FromSeconds(30), Token));
        Assert.Equal("600", Encoding.UTF8.GetString(entries.Current["f"u8]!));
        Assert.Null(entries.Current["g"u8]);
    }

    [Fact]
    public async Task FollowStream_WithoutAnId_ReturnsWhatComesAlone()
    {
        Append("before");
        await using var entries = FollowAll(null);
        var next = entries.MoveNextAsync().AsTask();
        Append("after");
        Assert.True(await next.WaitAsync(TimeSpan.FromSeconds(30), Token));
        Assert.Equal("after", Encoding.UTF8.GetString(entries.Current["f"u8]!));
    }

    // No entry is lost between a look and the wait behind it.
    [Fact]
    public async Task FollowStream_BesideAWriter_ReturnsAllInOrder()
    {
        const int Count = 5_000;
        var writer = Task.Run(
            () =>
            {
                for (int i = 0; i < Count; i++)
                    Append($"{i}");
            },
            Token);
        await using var entries = FollowAll(StreamId.Zero);
        for (int i = 0; i < Count; i++)
            Assert.Equal($"{i}", await NextAsync(entries));
        await writer;
    }

    [Fact]
    public async Task FollowGroup_DividesTheEntriesAmongConsumers()
    {
        Store.Stream("s"u8).CreateGroup("g"u8, new StreamGroupOptions { MakesStream = true }, out _);
        await using var one = Follow("a");
        await using var other = Follow("b");
        Append("1");
        Assert.Equal("1", await NextAsync(one));
        Append("2");
        Assert.Equal("2", await NextAsync(other));

        using var snapshot = Store.Stream("s"u8).TakeSnapshot(out _);
        Assert.True(snapshot.TryGetGroup("g"u8, out var group));
        Assert.Equal((2, 2), (group.Pending, group.Consumers));
    }

    [Fact]
    public async Task FollowGroup_WithoutAGroup_Throws()
    {
        await using var entries = Follow("a");
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await entries.MoveNextAsync());
    }

    [Fact]
    public async Task Follow_EndsWithItsToken()
    {
        using var end = new CancellationTokenSource();
        await using var entries = Store.FollowStreamAsync("s"u8.ToArray(), null, end.Token).GetAsyncEnumerator(Token);
        var next = entries.MoveNextAsync().AsTask();
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next);
    }

    [Fact]
    public async Task FollowStream_OfLongEntries_CopiesFewAtOnce()
    {
        string value = new('v', 50_000);
        for (int i = 0; i < 150; i++)
            Append(value);
        await using var entries = FollowAll(StreamId.Zero);

        long before = GC.GetAllocatedBytesForCurrentThread();
        var first = entries.MoveNextAsync();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4 << 20);

        Assert.True(await first);
        for (int i = 1; i < 150; i++)
            Assert.Equal(value, await NextAsync(entries));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Follow_EndsWithTheStore(bool isGroup)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = StoreFixture.MemoryLimitBytes });
        store.Stream("s"u8).CreateGroup("g"u8, new StreamGroupOptions { MakesStream = true }, out _);
        byte[] key = Bytes("s");
        await using var entries = isGroup
            ? store.FollowGroupAsync(key, Bytes("g"), Bytes("a"), Token).GetAsyncEnumerator(Token)
            : store.FollowStreamAsync(key, StreamId.Zero, Token).GetAsyncEnumerator(Token);
        var next = entries.MoveNextAsync().AsTask();
        Assert.False(next.IsCompleted);

        store.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => next.WaitAsync(TimeSpan.FromSeconds(30), Token));
    }

    private static async Task<string> NextAsync(IAsyncEnumerator<StreamEntry> entries)
    {
        Assert.True(await entries.MoveNextAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(30), Token));
        return Encoding.UTF8.GetString(entries.Current["f"u8]!);
    }

    private IAsyncEnumerator<StreamEntry> FollowAll(StreamId? after) =>
        Store.FollowStreamAsync("s"u8.ToArray(), after, Token).GetAsyncEnumerator(Token);

    private IAsyncEnumerator<StreamEntry> Follow(string consumer) =>
        Store.FollowGroupAsync("s"u8.ToArray(), "g"u8.ToArray(), Bytes(consumer), Token).GetAsyncEnumerator(Token);

    private void Append(string value) => Store.Stream("s"u8).Append("f"u8, Bytes(value), out _);
}
