using Cache.Durability.Control;
using Cache.Testing;

namespace Cache.Durability.Tests.Control;

public sealed class SnapshotJobsTests : IDisposable
{
    private readonly SemaphoreSlim _mayEnd = new(0);
    private readonly List<SnapshotPurpose> _written = [];
    private readonly SnapshotJobs _jobs;
    private Exception? _failure;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public SnapshotJobsTests() => _jobs = new SnapshotJobs(new FakeTimeProvider(), static () => 7, Write);

    public void Dispose() => _mayEnd.Dispose();

    [Fact]
    public async Task TryBegin_WhileOneIsWritten_SaysWhich()
    {
        Assert.True(_jobs.TryBegin(SnapshotPurpose.Rewrite, out _, out var task));
        Assert.False(_jobs.TryBegin(SnapshotPurpose.Save, out var running, out _));
        Assert.Equal(SnapshotPurpose.Rewrite, running);
        Assert.Equal(SnapshotPurpose.Rewrite, _jobs.Figures.Running);
        _mayEnd.Release();
        Assert.Null(await task);
        var figures = _jobs.Figures;
        Assert.Null(figures.Running);
        Assert.Equal((1, 0), (figures.Rewrite.Count, figures.Save.Count));
        Assert.Equal(7, figures.ChangesAtLast);
    }

    [Fact]
    public async Task Schedule_WhileOneIsWritten_BeginsBehindIt()
    {
        var ended = new TaskCompletionSource();
        _jobs.Ended = (purpose, _) =>
        {
            if (purpose == SnapshotPurpose.Save)
                ended.SetResult();
        };
        _jobs.TryBegin(SnapshotPurpose.Rewrite, out _, out _);
        _jobs.Schedule(SnapshotPurpose.Save);
        Assert.True(_jobs.Figures.Save.IsScheduled);
        _mayEnd.Release(2);
        await ended.Task;
        Assert.False(_jobs.Figures.Save.IsScheduled);
        Assert.Equal([SnapshotPurpose.Rewrite, SnapshotPurpose.Save], _written);
    }

    [Fact]
    public async Task TryBegin_ItFails_IsTold()
    {
        _failure = new IOException("full");
        _mayEnd.Release();
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out var task);
        Assert.Same(_failure, await task);
        Assert.Same(_failure, _jobs.Figures.Save.Failure);
        Assert.Equal((0, 0), (_jobs.Figures.Save.Count, _jobs.Figures.LastMs));
        _failure = null;
        _mayEnd.Release();
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out task);
        Assert.Null(await task);
        Assert.Null(_jobs.Figures.Save.Failure);
    }

    [Fact]
    public async Task Close_WhileOneIsWritten_WaitsAndBeginsNone()
    {
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out _);
        var closing = _jobs.CloseAsync();
        Assert.False(closing.IsCompleted);
        Assert.True(_jobs.IsClosed);
        _mayEnd.Release();
        await closing;
        Assert.False(_jobs.TryBegin(SnapshotPurpose.Save, out _, out _));
    }

    [Fact]
    public async Task RunAlone_WhileOneIsWritten_WaitsAndBeginsNone()
    {
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out _);
        using var mayEnd = new ManualResetEventSlim();
        var ran = new TaskCompletionSource();
        var alone = Start(() =>
        {
            ran.SetResult();
            mayEnd.Wait(Cancellation);
        });
        await Task.Delay(50, Cancellation);
        Assert.False(ran.Task.IsCompleted);
        _mayEnd.Release();
        await ran.Task;
        Assert.Equal([SnapshotPurpose.Save], _written);
        Assert.False(_jobs.TryBegin(SnapshotPurpose.Save, out _, out _));
        _jobs.Schedule(SnapshotPurpose.Rewrite);
        var closing = _jobs.CurrentAsync();
        Assert.False(closing.IsCompleted);
        _mayEnd.Release();
        mayEnd.Set();
        await alone;
        await _jobs.CurrentAsync();
        Assert.Equal([SnapshotPurpose.Save, SnapshotPurpose.Rewrite], _written);
    }

    [Fact]
    public async Task RunAlone_ItThrows_LetsSnapshotsBeginAgain()
    {
        Assert.Throws<IOException>(() => _jobs.RunAlone(static () => throw new IOException("full")));
        _mayEnd.Release();
        Assert.True(_jobs.TryBegin(SnapshotPurpose.Save, out _, out var task));
        Assert.Null(await task);
    }

    [Fact]
    public async Task Close_WhileAnActionRunsAlone_WaitsForIt()
    {
        using var mayEnd = new ManualResetEventSlim();
        using var hasBegun = new ManualResetEventSlim();
        var alone = Start(() =>
        {
            hasBegun.Set();
            mayEnd.Wait(Cancellation);
        });
        hasBegun.Wait(Cancellation);
        var closing = _jobs.CloseAsync();
        Assert.False(closing.IsCompleted);
        mayEnd.Set();
        await closing;
        await alone;
        Assert.Throws<ObjectDisposedException>(() => _jobs.RunAlone(static () => { }));
    }

    [Fact]
    public async Task Cancel_StopsThePresentOneOnly()
    {
        _jobs.Cancel();
        Assert.False(_jobs.MustStop);
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out var task);
        _jobs.Cancel();
        Assert.True(_jobs.MustStop);
        _mayEnd.Release();
        await task;
        Assert.False(_jobs.MustStop); // Else no suspension could end before the next one begins.
        _jobs.TryBegin(SnapshotPurpose.Save, out _, out task);
        Assert.False(_jobs.MustStop);
        _mayEnd.Release();
        await task;
    }

    private Task Start(Action action) => Task.Run(() => _jobs.RunAlone(action), Cancellation);

    private void Write(SnapshotPurpose purpose)
    {
        _mayEnd.Wait();
        _written.Add(purpose);
        if (_failure is not null)
            throw _failure;
    }
}
