using Cache.Server.Connections;

namespace Cache.Server.Tests.Connections;

/// <summary>The threads for what takes long, where the system gives none.</summary>
public sealed class WorkerLaneTests
{
    private const int Works = 20;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    // As Thread.Start throws where the number of threads is limited, by a container or for the user.
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Enter_WhereNoMoreThreadsCanBeStarted_IsExecutedAllTheSame(int threads)
    {
        int started = 0;
        using var lane = new WorkerLane(4, thread =>
        {
            if (started == threads)
                throw new OutOfMemoryException();
            started++;
            thread.UnsafeStart();
        });
        var ended = Enumerable.Range(0, Works).Select(_ => new TaskCompletionSource()).ToList();

        foreach (var one in ended)
            lane.EnterAsync().UnsafeOnCompleted(() => one.SetResult());

        await Task.WhenAll(ended.Select(static one => one.Task)).WaitAsync(Token);
        Assert.Equal(Works, lane.Count);
    }

    [Fact]
    public async Task Enter_OnceThreadsCanBeStartedAgain_HasThem()
    {
        bool fails = true;
        using var lane = new WorkerLane(1, thread =>
        {
            if (fails)
                throw new OutOfMemoryException();
            thread.UnsafeStart();
        });
        await EnterAsync(lane);
        Assert.NotEqual("cache long", Thread.CurrentThread.Name);

        fails = false;

        Assert.Equal("cache long", await EnterAsync(lane));
    }

    private static async Task<string?> EnterAsync(WorkerLane lane)
    {
        await lane.EnterAsync();
        return Thread.CurrentThread.Name;
    }
}
