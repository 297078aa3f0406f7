namespace Cache.Client;

/// <summary>Asks sentinels again and again which server is the primary, over a connection that it keeps.</summary>
/// <remarks>
/// A primary that sentinels have replaced by request says for some seconds that it is one; what it acknowledges then is
/// lost. Nobody waits for an answer here: sentinels that are silent say nothing against the primary. Concurrency: one
/// look at a time; the answer is read by any thread.
/// </remarks>
internal sealed class SentinelWatch(RespClientOptions options) : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly SentinelLookup _lookup = new(options);
    private volatile string? _named;
    private Task _looking = Task.CompletedTask;

    /// <summary>Whether the last answer names another server.</summary>
    public bool NamesAnother(ServerAddress than) => _named is { } named && named != than.ToString();

    /// <summary>Forgets the last answer: it was asked for now.</summary>
    public void Forget() => _named = null;

    /// <summary>Begins to look, unless a look is under way.</summary>
    public void Look()
    {
        if (_looking.IsCompleted)
            _looking = LookAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _looking.ConfigureAwait(false);
        await _lookup.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    private async Task LookAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            _named = (await _lookup.FindPrimaryAsync(_stop.Token).ConfigureAwait(false)).ToString();
        }
        catch (Exception failure) when (failure is RespClientException or OperationCanceledException)
        {
            // They say nothing.
        }
    }
}
