using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>A flight for a value of one type.</summary>
internal sealed class TypedFlight<T>(string key, HybridCacheEntryFlags sourceFlags, ulong[] tags, bool hasCaller)
    : Flight(key, sourceFlags, tags, hasCaller)
{
    private readonly TaskCompletionSource<FlightResult<T>> _completion =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<FlightResult<T>> Task => _completion.Task;

    public void Complete(in FlightResult<T> result)
    {
        Close();
        _completion.TrySetResult(result);
    }

    /// <returns>Whether there may be no caller, so that the failure must be reported.</returns>
    public bool Fail(Exception exception)
    {
        Close();
        _completion.TrySetException(exception);
        _ = _completion.Task.Exception; // Observed, even without a caller.
        return GoesOn;
    }
}
