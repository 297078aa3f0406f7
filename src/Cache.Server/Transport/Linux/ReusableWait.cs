using System.Threading.Tasks.Sources;

namespace Cache.Server.Transport.Linux;

/// <summary>An event with one waiter at a time, reused for each wait, so that a wait allocates nothing.</summary>
internal sealed class ReusableWait<TResult> : IValueTaskSource<TResult>
{
    private ManualResetValueTaskSourceCore<TResult> _source;

    /// <summary>Begins a wait; the previous one has ended and was awaited.</summary>
    public ValueTask<TResult> Begin()
    {
        _source.Reset();
        return new ValueTask<TResult>(this, _source.Version);
    }

    /// <summary>Ends a wait, once.</summary>
    /// <param name="result">The result of the wait.</param>
    /// <param name="onThisThread">Whether the continuation runs on this thread; else on the thread pool.</param>
    public void End(TResult result, bool onThisThread)
    {
        _source.RunContinuationsAsynchronously = !onThisThread;
        _source.SetResult(result);
    }

    TResult IValueTaskSource<TResult>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<TResult>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<TResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
