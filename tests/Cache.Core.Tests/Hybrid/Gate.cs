namespace Cache.Core.Tests.Hybrid;

/// <summary>A factory that a test holds and lets go.</summary>
internal sealed class Gate<T>
{
    private readonly TaskCompletionSource<T> _value = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _calls;

    public int Calls => Volatile.Read(ref _calls);

    /// <summary>Complete once the factory was called.</summary>
    public Task Started => _started.Task;

    /// <summary>The token that the factory was last given.</summary>
    public CancellationToken Token { get; private set; }

    public async ValueTask<T> Run(CancellationToken token)
    {
        Token = token;
        Interlocked.Increment(ref _calls);
        _started.TrySetResult();
        return await _value.Task.WaitAsync(token);
    }

    public void Open(T value) => _value.TrySetResult(value);

    public void Fail(Exception exception) => _value.TrySetException(exception);
}
