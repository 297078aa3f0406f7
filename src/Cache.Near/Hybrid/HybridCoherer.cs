using System.Text;
using Cache.Client;
using Cache.Core.Hybrid;
using Cache.Near.Entries;
using Cache.Near.Links;
using Microsoft.Extensions.Options;

namespace Cache.Near.Hybrid;

/// <summary>Keeps a hybrid cache true to a second level whose connections are the application's own.</summary>
/// <remarks>
/// The links of the near cache, without reads and writes: they have the servers track the keys with the prefix, prove
/// by heartbeats that they still are the primaries, and grant the lease. What is read of the second level comes on
/// another connection, in any order with what the servers tell: the hybrid cache keeps no value that was asked for
/// before the last change that it has heard of. That its connections are to the server that tells is proved at the
/// start, and again behind each new link outside of a cluster: after a failover they may still be to the former
/// primary, which tells nobody. Concurrency: one loop proves it; the links have theirs. Invariant: what was asked for
/// before the last proof is of an earlier generation.
/// </remarks>
internal sealed class HybridCoherer : Coherence, IHybridCoherence, IAsyncDisposable
{
    private const int StackBytes = 256;

    private static readonly TimeSpan _proofInterval = TimeSpan.FromSeconds(1);

    private readonly HybridCoherenceOptions _options;
    private readonly HybridEntries _entries;
    private readonly NearContext _context;
    private readonly NearTopology _topology;
    private readonly byte[] _prefix;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly SemaphoreSlim _restarted = new(0, 1);
    private int _restarts; // Under the gate, as what is proved.
    private volatile bool _isProved;
    private volatile string? _lastProofFailure;
    private Task _proving = Task.CompletedTask;
    private int _isDisposed;

    public HybridCoherer(HybridCoherenceOptions options)
        : this(options, new LeaseClock(null))
    {
    }

    public HybridCoherer(HybridCoherenceOptions options, LeaseClock clock)
    {
        _options = options;
        _prefix = options.PrefixBytes();
        _entries = new HybridEntries(_prefix);
        _context = new NearContext(options.OfLinks(), clock, TimeProvider.System, _entries);
        _topology = new NearTopology(_context);
        _isProved = !_context.IsTracked;
        if (_context.IsTracked)
            _entries.Restarted = Restart;
    }

    public HybridCoherenceOptions Options => _options;

    public HybridCoherenceStatus Status =>
        HybridStatus.Of(_context, _topology, _isProved, _lastProofFailure);

    public override long MaximumAgeMs => (long)_options.MaximumAge.TotalMilliseconds;

    public override void Attach(StoreHybridCache cache)
    {
        if (_entries.Cache is not null)
            throw new InvalidOperationException("The coherence of a hybrid cache cannot be that of another one too.");
        _entries.Cache = cache;
    }

    public override bool Counts(ReadOnlySpan<char> key)
    {
        if (_isProved && IsLeased(key))
            return true;
        _context.Counters.AddBypass();
        return false;
    }

    public override void Tell(string key)
    {
        // The servers do, where they track.
        if (!_context.IsTracked)
            _topology.Tell([.. _prefix, .. Encoding.UTF8.GetBytes(key)]);
    }

    /// <summary>Begins to connect, and waits for the first attempt, and for the proof of the prefix.</summary>
    /// <exception cref="RespClientException">
    /// A server refuses what is needed: the password, or client tracking.
    /// </exception>
    /// <exception cref="OptionsValidationException">The servers do not tell of the second level's writes.</exception>
    public async Task StartAsync(CancellationToken token)
    {
        _topology.Start();
        var failure = await _topology.FirstOutcome.WaitAsync(token).ConfigureAwait(false);
        if (NearTopology.IsRefusal(failure))
            throw failure;
        if (!_context.IsTracked)
            return;
        if (failure is null && await TryProveAsync(token).ConfigureAwait(false) is { } mistake)
            throw new OptionsValidationException("", typeof(HybridCoherenceOptions), [mistake]);
        _proving = ProveAsync();
    }

    public async ValueTask DisposeAsync()
    {
        // A container disposes of it once for each service that it is.
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
            return;
        await _stop.CancelAsync().ConfigureAwait(false);
        await _proving.ConfigureAwait(false);
        await _topology.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
        _restarted.Dispose();
    }

    private bool IsLeased(ReadOnlySpan<char> key) => _context.Owners.OnlyOwner is { } link
        ? link.IsLeased
        : IsLeasedInCluster(key);

    private bool IsLeasedInCluster(ReadOnlySpan<char> key)
    {
        int length = _prefix.Length + Encoding.UTF8.GetMaxByteCount(key.Length);
        Span<byte> bytes = length <= StackBytes ? stackalloc byte[StackBytes] : new byte[length];
        _prefix.CopyTo(bytes);
        return Encoding.UTF8.TryGetBytes(key, bytes[_prefix.Length..], out int written)
            && _context.Owners.Of(bytes[..(_prefix.Length + written)]) is { IsLeased: true };
    }

    // On the thread of the link's loop, before that grants a lease.
    private void Restart()
    {
        lock (_gate)
        {
            _isProved = false;
            _restarts++;
            _entries.Proof?.GiveUp();
            if (_restarted.CurrentCount == 0)
                _restarted.Release();
        }
    }

    private async Task ProveAsync()
    {
        try
        {
            while (true)
            {
                bool isNew = await _restarted.WaitAsync(_proofInterval, _stop.Token).ConfigureAwait(false);
                // One will do: of a cluster another primary may be away for long.
                if (!_isProved && (isNew || Array.Exists(_topology.Links, static link => link.IsLeased)))
                    await TryProveAsync(_stop.Token).ConfigureAwait(false);
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // It was closed.
        }
    }

    /// <returns>What is wrong with the options; null: nothing, or it could not be found out.</returns>
    private async Task<string?> TryProveAsync(CancellationToken token)
    {
        if (_entries.Cache?.SecondLevel is not { } level)
            return null;
        var proof = new PrefixProof();
        int restarts = Volatile.Read(ref _restarts);
        _entries.Proof = proof;
        try
        {
            if (await proof.TryAsync(level, _options.Servers.ReplyTimeout, token).ConfigureAwait(false))
            {
                Accept(restarts);
                return null;
            }

            if (restarts != Volatile.Read(ref _restarts))
                return null; // What was told on the link that is lost nobody knows.
            string servers = string.Join(',', _options.Servers.EndPoints);
            string key = _options.KeyPrefix + proof.Key;
            string mistake = $"{nameof(HybridCoherenceOptions)}.KeyPrefix is \"{_options.KeyPrefix}\"; {servers} did"
                + $" not tell of the key \"{key}\" when the second level had written \"{proof.Key}\": it must be what"
                + $" that puts before its keys, and the servers must be its own.";
            _lastProofFailure = mistake;
            return NearTopology.AreLeased(_topology.Links) ? mistake : null;
        }
        catch (Exception failure) when (!token.IsCancellationRequested)
        {
            // Of the second level, which may throw anything.
            _lastProofFailure = $"The second level failed: {failure.Message}";
            return null;
        }
        finally
        {
            _entries.Proof = null;
        }
    }

    // A link that was made meanwhile is not proved by this.
    private void Accept(int restarts)
    {
        lock (_gate)
        {
            if (restarts != _restarts)
                return;
            _entries.Clear(); // What was read before may be of another server.
            _isProved = true;
        }
    }
}
