using System.Security.Cryptography;
using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>
/// A channel of the servers on which processes tell one another of their own writes, where servers tell of none.
/// </summary>
/// <remarks>
/// A message is the sender's random id, and the key as the server has it. It promises nothing: who writes may end
/// before it tells, a message may be lost with a link, others may write without telling. It shortens what
/// <see cref="NearCacheOptions.MaximumAge"/> allows. Algorithm: a loop makes a connection of its own, to a server that
/// a link is connected to, subscribes, forgets what was kept before, and asks at an interval whether the other end is
/// there; messages leave on the links. With RESP2 a subscribed connection answers nothing else: there a link that hangs
/// is noticed by the system alone. Concurrency: one loop; the connection's thread takes messages; any thread tells.
/// </remarks>
internal sealed class WriteChannel : IPushSink, IAsyncDisposable
{
    private const int IdBytes = 16;

    // As many questions as heartbeats.
    private const int QuestionsPerBound = 3;

    private readonly NearContext _context;
    private readonly Func<RespConnection?> _findLinked;
    private readonly byte[] _id = RandomNumberGenerator.GetBytes(IdBytes);
    private readonly CancellationTokenSource _stop = new();
    private volatile RespClientException? _lastFailure;
    private volatile bool _isOpen;
    private Task _running = Task.CompletedTask;

    // Of the loop.
    private ReconnectDelay _delay;

    /// <param name="context">What the links share.</param>
    /// <param name="findLinked">The connection of a link; null: there is none now.</param>
    public WriteChannel(NearContext context, Func<RespConnection?> findLinked)
    {
        _context = context;
        _findLinked = findLinked;
        _delay = new ReconnectDelay(context.Random);
    }

    /// <summary>Whether messages of others are heard.</summary>
    public bool IsOpen => _isOpen;

    public RespClientException? LastFailure => _lastFailure;

    private static ReadOnlySpan<byte> Name => "__cache:writes"u8;

    public void Start() => _running = RunAsync();

    /// <summary>Tells the others of a write, if there is a link.</summary>
    public void Tell(ReadOnlySpan<byte> key)
    {
        if (_findLinked() is not { } connection)
            return;
        byte[] message = [.. _id, .. key];
        var request = new RespRequestWriter().Begin(3).Add("PUBLISH"u8).Add(Name).Add(message);
        connection.Send(request.Written.Span, new Told(this));
    }

    public void Invalidate(ReadOnlySpan<byte> key)
    {
        // Nobody was asked to.
    }

    public void InvalidateAll()
    {
        // As above.
    }

    public void Push(in RespReply push) => Hear(push);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        _stop.Dispose();
    }

    private void Hear(in RespReply message)
    {
        if (message.Items is not [var kind, _, { Bytes: { Length: >= IdBytes } bytes }] || !kind.Is("message"u8)
            || bytes.AsSpan(0, IdBytes).SequenceEqual(_id))
        {
            return;
        }

        bool wasKept = _context.Entries.Drop(bytes.AsSpan(IdBytes));
        _context.Counters.AddPush(wasKept);
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
                // As of a link.
                if (!_stop.IsCancellationRequested)
                    _lastFailure = failure as RespClientException ?? new RespClientException(failure.Message, failure);
            }

            _isOpen = false;
            await Task.Delay(_delay.Next(), _context.Time, _stop.Token)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task RunConnectionAsync()
    {
        if (_findLinked() is not { } linked)
            return;
        var options = _context.Options.Servers;
        var connection = await RespConnection.OpenAsync(linked.Address, options, this, _stop.Token)
            .ConfigureAwait(false);
        await using (connection.ConfigureAwait(false))
        {
            bool pushes = connection.ProtocolVersion >= 3;
            var request = new RespRequestWriter().Begin(2).Add("SUBSCRIBE"u8).Add(Name);
            if (pushes)
                request.Begin(1).Add("PING"u8); // What is subscribed is pushed, and not a reply.
            var subscription = new Subscription(this, connection, pushes);
            connection.Send(request.Written.Span, subscription);
            await WaitAsync(subscription, connection).ConfigureAwait(false);
            // What was written before nobody has told here.
            _context.Entries.Clear();
            _context.Counters.AddClear();
            _isOpen = true;
            _delay.Reset();
            if (pushes)
                await AskUntilLostAsync(connection).ConfigureAwait(false);
            else
                await connection.Closed.WaitAsync(_stop.Token).ConfigureAwait(false);
        }

        if (connection.Failure is { } failure)
            throw failure;
    }

    private async Task WaitAsync(Subscription subscription, RespConnection connection)
    {
        try
        {
            await subscription.Opened.WaitAsync(_context.Options.Servers.ReplyTimeout, _stop.Token)
                .ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            throw connection.Late(subscription.Command);
        }
    }

    private async Task AskUntilLostAsync(RespConnection connection)
    {
        var interval = _context.Options.StalenessBound / QuestionsPerBound;
        while (!connection.Closed.IsCompleted)
        {
            using var pause = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            var elapsed = Task.Delay(interval, _context.Time, pause.Token);
            await Task.WhenAny(elapsed, connection.Closed).ConfigureAwait(false);
            await pause.CancelAsync().ConfigureAwait(false);
            _stop.Token.ThrowIfCancellationRequested();
            if (connection.Closed.IsCompleted)
                return;
            var ping = new RespRequestWriter().Begin(1).Add("PING"u8);
            await connection.DemandAsync(ping, "PING", _stop.Token).ConfigureAwait(false);
        }
    }

    // With RESP2 the messages are further replies to it.
    private sealed class Subscription(WriteChannel channel, RespConnection connection, bool pushes)
        : PendingReply("SUBSCRIBE", pushes ? 1 : int.MaxValue)
    {
        private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Opened => _opened.Task;

        public override void Take(in RespReply reply)
        {
            if (!reply.IsError)
            {
                if (!_opened.TrySetResult())
                    channel.Hear(reply);
                return;
            }

            var refusal = connection.Refused(Command, reply);
            Fail(refusal);
            connection.Close(refusal);
        }

        public override void Fail(RespClientException failure)
        {
            if (_opened.TrySetException(failure))
                _ = _opened.Task.Exception; // Perhaps nobody waits any more.
        }
    }

    // The write is made; that the others have not heard of it is not its failure.
    private sealed class Told(WriteChannel channel) : PendingReply("PUBLISH", 1)
    {
        public override void Take(in RespReply reply)
        {
            if (reply.IsError)
                channel._lastFailure = new RespClientException($"{Command}: {reply.Text}", reply.ErrorCode);
        }

        public override void Fail(RespClientException failure)
        {
            // The links tell it.
        }
    }
}
