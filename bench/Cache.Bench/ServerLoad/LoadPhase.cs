namespace Cache.Bench.ServerLoad;

/// <summary>A stretch of load that all connections begin and leave together: preload, warm-up, or round.</summary>
/// <remarks>Thread-safe. A connection that fails ends the phase for all; the first failure is kept.</remarks>
internal sealed class LoadPhase(int connections, int depth) : IDisposable
{
    private readonly CountdownEvent _running = new(connections);
    private volatile bool _isOver;
    private string? _failure;

    /// <summary>Requests that a connection sends together.</summary>
    public int Depth { get; } = depth;

    /// <summary>No further batch is sent; what has been sent is still answered.</summary>
    public bool IsOver => _isOver;

    public string? Failure => _failure;

    public void End() => _isOver = true;

    public void Fail(string failure)
    {
        Interlocked.CompareExchange(ref _failure, failure, null);
        End();
    }

    /// <summary>A connection has its last reply, or will never have it. Once per connection.</summary>
    public void Leave() => _running.Signal();

    /// <returns>False when the time was over first.</returns>
    public bool Wait(TimeSpan timeout) => _running.Wait(timeout);

    public void Dispose() => _running.Dispose();
}
