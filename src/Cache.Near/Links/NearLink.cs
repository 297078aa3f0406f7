using System.Diagnostics;
using Cache.Client;
using Cache.Near.Entries;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>The one connection to a primary: fills, writes, heartbeats and pushes.</summary>
/// <remarks>
/// Algorithm: a loop makes a connection, has the server track, forgets what was kept of it before, and then asks it at
/// an interval whether it still is what we take it for. Each good answer renews the lease, counted from when the
/// question was sent: the answer stands behind all pushes of before, so that they have been applied. Local entries
/// count only while the lease holds; nothing has to notice that it ran out. Pushes and replies are taken by one thread
/// in their order: a fill is kept when its reply comes, and dropped when a later push does.
/// Concurrency: one loop; the connection's thread calls <see cref="IPushSink"/>. Invariant: a lease is granted only
/// after the entries of the connection before are gone, and that connection's thread has ended.
/// </remarks>
internal sealed partial class NearLink : IPushSink, IAsyncDisposable
{
    // Of a lease, so that two heartbeats may be lost before it runs out.
    private const int HeartbeatsPerLease = 3;

    private const long NoLease = long.MinValue;

    private readonly NearContext _context;
    private readonly LeaseClock _clock;
    private readonly ILinkTarget _target;
    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _hurry = new(0, 1);
    private readonly TaskCompletionSource<RespClientException?> _firstOutcome =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private long _leaseEndMs = NoLease;
    private long _lastLeaseEndMs = NoLease;
    private volatile RespConnection? _connection;
    private volatile RespClientException? _lastFailure;
    private Task _running = Task.CompletedTask;

    // Of the loop.
    private ReconnectDelay _delay;

    public NearLink(NearContext context, ILinkTarget target)
    {
        _delay = new ReconnectDelay(context.Random);
        _context = context;
        _clock = context.Clock;
        _target = target;
    }

    public NearContext Context => _context;

    public ILinkTarget Target => _target;

    /// <summary>The connection; null: there is none now.</summary>
    public RespConnection? Connection => _connection;

    public RespClientException? LastFailure => _lastFailure;

    public NearNodeStatus Status =>
        new(Connection?.Address.ToString() ?? Target.ToString()!, IsLeased, LastFailure?.Message);

    /// <summary>Whether local entries count: the one comparison of a hit.</summary>
    public bool IsLeased => _clock.NowMs < Volatile.Read(ref _leaseEndMs);

    /// <summary>The outcome of the first attempt: null is success.</summary>
    public Task<RespClientException?> FirstOutcome => _firstOutcome.Task;

    /// <summary>
    /// Whether entries may be served although the lease has run out, by <see cref="WhenUnreachable"/>.
    /// </summary>
    public bool MayServeStale
    {
        get
        {
            double staleMs = _context.Options.WhenUnreachable.StaleFor.TotalMilliseconds;
            long lastEnd = Volatile.Read(ref _lastLeaseEndMs);
            return staleMs > 0 && lastEnd != NoLease && _context.Clock.NowMs < lastEnd + staleMs;
        }
    }

    public void Start() => _running = RunAsync();

    /// <summary>Has the next heartbeat sent now: a server said that a key is elsewhere.</summary>
    public void Hurry()
    {
        try
        {
            if (_hurry.CurrentCount == 0)
                _hurry.Release();
        }
        catch (SemaphoreFullException)
        {
            // Another was faster.
        }
    }

    /// <summary>The pushes so far; of the thread that reads.</summary>
    public long PushCount { get; private set; }

    public void Invalidate(ReadOnlySpan<byte> key)
    {
        PushCount++;
        bool wasKept = _context.Entries.Drop(key);
        _context.Counters.AddPush(wasKept);
    }

    public void InvalidateAll()
    {
        PushCount++;
        _context.Entries.Clear();
        _context.Counters.AddClear();
    }

    public void Push(in RespReply push)
    {
        // Nothing else was asked for.
    }

    /// <summary>Drops the lease: what is here counts no more until the next heartbeat is answered.</summary>
    public void EndLease()
    {
        long end = Volatile.Read(ref _leaseEndMs);
        if (end != NoLease)
            Volatile.Write(ref _lastLeaseEndMs, Math.Min(end, _context.Clock.NowMs));
        Volatile.Write(ref _leaseEndMs, NoLease);
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _connection?.Close(new RespClientException("The near cache was closed"));
        await _running.ConfigureAwait(false);
        await _target.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
        _hurry.Dispose();
    }

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await RunConnectionAsync().ConfigureAwait(false);
            }
            catch (Exception failure)
            {
                // Of the server, or of what the application gave for passwords and TLS: the link goes on to be tried.
                if (!_stop.IsCancellationRequested)
                    Note(failure as RespClientException ?? new RespClientException(failure.Message, failure));
            }

            try
            {
                await Task.Delay(_delay.Next(), _context.Time, _stop.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                break;
            }
        }

        EndLease();
        _firstOutcome.TrySetResult(new RespClientException("The near cache was closed"));
    }

    // Until the connection is lost.
    private async Task RunConnectionAsync()
    {
        var options = _context.Options.Servers;
        var address = await _target.ResolveAsync(_stop.Token).ConfigureAwait(false);
        var connection = await RespConnection.OpenAsync(address, options, this, _stop.Token).ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            try
            {
                await BeginTrackingAsync(connection).ConfigureAwait(false);
                await _target.BeginAsync(this, connection, _stop.Token).ConfigureAwait(false);
                await BeatAsync(connection, _context.IsTracked).ConfigureAwait(false);
                _delay.Reset();
                _firstOutcome.TrySetResult(null);
                await BeatUntilLostAsync(connection).ConfigureAwait(false);
            }
            finally
            {
                _connection = null;
                EndLease();
            }
        }

        if (connection.Failure is { } failure)
            Note(failure);
    }

    private async Task BeatUntilLostAsync(RespConnection connection)
    {
        var interval = _context.Options.StalenessBound / HeartbeatsPerLease;
        while (!connection.Closed.IsCompleted)
        {
            using var pause = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            var woken = _hurry.WaitAsync(pause.Token);
            var elapsed = Task.Delay(interval, _context.Time, pause.Token);
            await Task.WhenAny(woken, elapsed, connection.Closed).ConfigureAwait(false);
            await pause.CancelAsync().ConfigureAwait(false);
            _stop.Token.ThrowIfCancellationRequested();
            if (!connection.Closed.IsCompleted)
                await BeatAsync(connection, forgets: false).ConfigureAwait(false);
        }
    }

    private async Task BeatAsync(RespConnection connection, bool forgets)
    {
        long sentMs = _context.Clock.NowMs;
        await _target.VerifyAsync(this, connection, forgets, _stop.Token).ConfigureAwait(false);
        long end = _context.IsTracked
            ? sentMs + (long)_context.Options.StalenessBound.TotalMilliseconds
            : long.MaxValue;
        Debug.Assert(end > sentMs);
        _connection = connection; // Who sees the lease finds it.
        Volatile.Write(ref _leaseEndMs, end);
    }

    private async Task BeginTrackingAsync(RespConnection connection)
    {
        if (!_context.IsTracked)
            return;
        if (connection.ProtocolVersion < 3)
        {
            throw new RespClientException(
                $"{connection.Address}, HELLO: the server has no RESP3, so it cannot tell of changes; with"
                + " Coherence = TimeOnly entries are kept for MaximumAge, and changes of others are not seen before.",
                "NOPROTO");
        }

        bool isBroadcast = _context.Options.Tracking == NearTracking.Broadcast;
        byte[][] prefixes = isBroadcast ? _context.Options.PrefixBytes() : [];
        var request = new RespRequestWriter().Begin(3 + (isBroadcast ? 1 : 0) + prefixes.Length * 2)
            .Add("CLIENT"u8).Add("TRACKING"u8).Add("ON"u8);
        if (isBroadcast)
            request.Add("BCAST"u8);
        foreach (byte[] prefix in prefixes)
            request.Add("PREFIX"u8).Add(prefix);
        var reply = await connection.CallAsync(request, "CLIENT TRACKING", _stop.Token).ConfigureAwait(false);
        if (reply.IsError)
        {
            throw new RespClientException(
                $"{connection.Address}, CLIENT TRACKING: {reply.Text}; with Coherence = TimeOnly entries are kept for"
                + " MaximumAge, and changes of others are not seen before.",
                reply.ErrorCode);
        }
    }

    private void Note(RespClientException failure)
    {
        _lastFailure = failure;
        _firstOutcome.TrySetResult(failure);
    }
}
