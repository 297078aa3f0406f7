using System.Threading.Tasks.Sources;

namespace Cache.Durability.Journaling;

/// <summary>One waiting caller; reused after its result was taken.</summary>
internal sealed class DurableWait : IValueTaskSource
{
    private readonly DurableWaits _owner;
    private ManualResetValueTaskSourceCore<bool> _core = new() { RunContinuationsAsynchronously = true };

    public DurableWait(DurableWaits owner) => _owner = owner;

    /// <summary>Every record before this place must be durable.</summary>
    public ulong Lsn { get; private set; }

    /// <summary>The next waiting or free one.</summary>
    public DurableWait? Next { get; set; }

    public ValueTask Begin(ulong lsn)
    {
        _core.Reset();
        (Lsn, Next) = (lsn, null);
        return new ValueTask(this, _core.Version);
    }

    public void End(Exception? failure)
    {
        if (failure == null)
            _core.SetResult(true);
        else
            _core.SetException(failure);
    }

    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    public void GetResult(short token)
    {
        try
        {
            _core.GetResult(token);
        }
        finally
        {
            _owner.Return(this);
        }
    }
}
