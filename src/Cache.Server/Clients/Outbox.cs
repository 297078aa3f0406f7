using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>The messages that others push to a client; sent between its replies, in order.</summary>
/// <remarks>
/// A connection writes its own output, from one thread at a time. While it waits for bytes or is parked it lends its
/// turn to write: then a message wakes the thread of its transport, which writes all messages that have come by then.
/// Otherwise the connection writes them before it rests. So a thread that pushes never waits for a peer, and a client
/// without an outbox pays nothing. A message is framed once and shared by all its receivers; it counts in full for
/// each. A client with more unsent messages than its limit is ended: <see cref="BytesMax"/>, or, if it is subscribed to
/// channels, what client-output-buffer-limit says of these clients. States of the turn, under the gate:
/// ¶owned → (TryRest, no message is left) resting → (TryResume) owned;
/// resting → (TryBeginDrain) draining → (TryEndDrain) resting;
/// draining → (TryResume) awaited → (TryEndDrain) owned; owned → (Close) closed.
/// Another client may make it, to be told of its changed keys there: then it is strange to the connection, until that
/// looks at it or is found to wait:
/// ¶strange → (TryResume, and all that the connection does) owned; strange → (Lend) resting.
/// </remarks>
/// <param name="client">The client that receives the messages.</param>
/// <param name="memory">Counts the messages, and is told when the client meets the limit.</param>
/// <param name="isStrange">Whether another client makes it.</param>
internal sealed class Outbox(ClientSession client, ClientMemory memory, bool isStrange = false)
{
    /// <summary>The most bytes of unsent messages of a client that is subscribed to nothing.</summary>
    public const long BytesMax = 32 << 20;

    /// <summary>
    /// The bytes that a message counts beside its own: its place in the queue, and a share of the array that holds it.
    /// </summary>
    public const int MessageBytes = 64;

    // A longer queue that is empty again is given up.
    private const int KeptCapacityMax = 64;

    private const int All = int.MaxValue;

    private readonly Lock _gate = new();

    // The first message and those behind it. Mostly it is taken before a second one comes, so most have no queue.
    private ReadOnlyMemory<byte> _first;
    private Queue<ReadOnlyMemory<byte>>? _behind;
    private int _count;

    private Turn _turn = isStrange ? Turn.Strange : Turn.Owned;
    private volatile bool _isUnmet = isStrange;
    private bool _isWaking;
    private bool _isOver;
    private IClientConnection? _owner;
    private TaskCompletionSource? _resumed;
    private long _bytes;
    private int _protocolVersion = client.ProtocolVersion;

    // How many messages come before a reply that others have made for the client; All: there is none.
    private int _ahead = All;

    // Since when there are more bytes than the soft limit, in milliseconds of the store's clock; 0: there are not.
    private long _softSinceMs;

    private enum Turn : byte
    {
        Owned,
        Strange,
        Resting,
        Draining,
        Awaited,
        Closed,
    }

    // What is to be done when a message has been posted.
    private enum Then : byte
    {
        Nothing,
        Wake,
        End,
    }

    /// <summary>The bytes that the messages count; any thread, perhaps a moment old.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>The number of messages; any thread, perhaps a moment old.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The client that receives the messages.</summary>
    public ClientSession Client => client;

    /// <summary>
    /// Whether the connection has not looked at it yet: then it must call <see cref="TryResume"/> first. For the
    /// connection.
    /// </summary>
    public bool IsUnmet => _isUnmet;

    /// <summary>Adds a message, whose bytes must not change afterwards. Any thread; never waits for the peer.</summary>
    /// <returns>False if the client is about to end.</returns>
    public bool TryPost(ReadOnlyMemory<byte> message)
    {
        bool isAdded;
        Then then;
        lock (_gate)
            isAdded = TryAdd(message, out then);
        return EndPost(isAdded, then);
    }

    /// <summary>
    /// As <see cref="TryPost"/>, for a message to many clients, unless the ticket is void, or the message is empty for
    /// this client.
    /// </summary>
    public bool TryPost<TMessage>(scoped ref TMessage message, PushTicket? ticket)
        where TMessage : IPushMessage, allows ref struct
    {
        bool isAdded;
        Then then;
        lock (_gate)
        {
            if (ticket is { IsVoid: true })
                return false;
            var frame = message.Frame(_protocolVersion);
            if (frame.IsEmpty)
                return false;
            isAdded = TryAdd(frame, out then);
        }

        return EndPost(isAdded, then);
    }

    /// <summary>Ends a ticket: no message comes by it from now on. Any thread.</summary>
    public void Void(PushTicket ticket)
    {
        lock (_gate)
            ticket.IsVoid = true;
    }

    /// <summary>
    /// Frames messages in another version from now on, unless some wait that are to come before. For the connection.
    /// </summary>
    /// <param name="version">The version.</param>
    /// <param name="isForced">Whether those that wait may come later all the same.</param>
    public bool TrySetProtocolVersion(int version, bool isForced = false)
    {
        lock (_gate)
        {
            if (_count > 0 && !isForced)
                return false;
            _protocolVersion = version;
            return true;
        }
    }

    /// <summary>Ends the client if it was above the soft limit for too long. Called by the sweep.</summary>
    public void EnforceSoftLimit()
    {
        bool isOver;
        lock (_gate)
        {
            isOver = _turn != Turn.Closed && !_isOver && IsOverSoftLimit(_bytes);
            _isOver |= isOver;
        }

        if (isOver)
            EndClient();
    }

    /// <summary>Takes the first message. For the holder of the turn.</summary>
    public bool TryTake(out ReadOnlyMemory<byte> message)
    {
        lock (_gate)
        {
            Own();
            Debug.Assert(_turn is Turn.Owned or Turn.Draining or Turn.Awaited);
            message = default;
            if (!HasNext)
                return false;
            message = Dequeue();
            if (_ahead != All)
                _ahead--;
            Drop(message.Length + MessageBytes);
            return true;
        }
    }

    /// <summary>
    /// Keeps back the messages that come from now on, until <see cref="EndReply"/>: another thread makes a reply for
    /// the client, which is parked, and they belong behind it.
    /// </summary>
    public void BeginReply()
    {
        lock (_gate)
            _ahead = _count;
    }

    /// <summary>The reply is written, or there is none after all. For the connection, or who began.</summary>
    public void EndReply()
    {
        bool isWoken;
        lock (_gate)
        {
            _ahead = All;
            isWoken = _turn == Turn.Resting && HasNext && !_isWaking;
            _isWaking |= isWoken;
        }

        if (isWoken)
            _owner!.WakeToWrite();
    }

    /// <summary>Gives up the turn until <see cref="TryResume"/>, if there is no message. For the connection.</summary>
    /// <param name="owner">Makes its transport's thread drain; woken without a lock, on the thread that pushes.</param>
    public bool TryRest(IClientConnection owner)
    {
        lock (_gate)
        {
            Debug.Assert(_turn == Turn.Owned);
            if (HasNext)
                return false;
            _owner = owner;
            _turn = Turn.Resting;
            return true;
        }
    }

    /// <summary>Gives the turn of a connection that waits and has not seen this outbox. For who has made it.</summary>
    public void Lend(IClientConnection owner)
    {
        lock (_gate)
        {
            if (_turn != Turn.Strange)
                return;
            Debug.Assert(_count == 0, "Nothing is sent before it is lent.");
            _owner = owner;
            _turn = Turn.Resting;
        }
    }

    /// <summary>Takes the turn back. For the connection.</summary>
    /// <returns>Null if it has the turn; else a task that ends when it has, once the present write is done.</returns>
    public Task? TryResume()
    {
        lock (_gate)
        {
            _isUnmet = false;
            Own();
            if (_turn == Turn.Owned)
                return null;
            Debug.Assert(_turn is Turn.Resting or Turn.Draining);
            if (_turn == Turn.Resting)
            {
                _turn = Turn.Owned;
                return null;
            }

            _turn = Turn.Awaited;
            _resumed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _resumed.Task;
        }
    }

    /// <summary>Takes the turn of a resting connection. For the transport's thread.</summary>
    public bool TryBeginDrain()
    {
        lock (_gate)
        {
            _isWaking = false;
            if (_turn != Turn.Resting)
                return false;
            _turn = Turn.Draining;
            return true;
        }
    }

    /// <summary>Gives the turn back, unless there are messages and the connection does not wait for it.</summary>
    /// <param name="isOver">Whether it is given back in any case, since nothing can be written.</param>
    public bool TryEndDrain(bool isOver = false)
    {
        lock (_gate)
        {
            Debug.Assert(_turn is Turn.Draining or Turn.Awaited);
            if (_turn == Turn.Draining && HasNext && !isOver)
                return false;
            if (_turn == Turn.Awaited)
                _resumed!.SetResult();
            _resumed = null;
            _turn = _turn == Turn.Awaited ? Turn.Owned : Turn.Resting;
            return true;
        }
    }

    /// <summary>Refuses further messages, and drops the rest. For the connection, which has the turn.</summary>
    public void Close()
    {
        lock (_gate)
        {
            Debug.Assert(_turn is Turn.Owned or Turn.Closed);
            _turn = Turn.Closed;
            (_first, _behind) = (default, null);
            Volatile.Write(ref _count, 0);
            Drop(_bytes);
        }
    }

    private void Own()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (_turn == Turn.Strange)
            _turn = Turn.Owned;
    }

    // False if the client has ended, or meets a limit: then IsOver is set, and the caller ends it without the gate.
    private bool TryAdd(ReadOnlyMemory<byte> message, out Then then)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        then = Then.Nothing;
        if (_turn == Turn.Closed || _isOver)
            return false;
        long bytes = message.Length + MessageBytes;
        if (_bytes + bytes > HardLimit || IsOverSoftLimit(_bytes + bytes))
        {
            _isOver = true;
            then = Then.End;
            return false;
        }

        memory.Count(bytes); // Before it can be taken: else its bytes could be subtracted first.
        Volatile.Write(ref _bytes, _bytes + bytes);
        Enqueue(message);
        if (_turn == Turn.Resting && !_isWaking)
        {
            then = Then.Wake;
            _isWaking = true;
        }

        return true;
    }

    private void Enqueue(ReadOnlyMemory<byte> message)
    {
        if (_count == 0)
            _first = message;
        else
            (_behind ??= new Queue<ReadOnlyMemory<byte>>()).Enqueue(message);
        Volatile.Write(ref _count, _count + 1);
    }

    private ReadOnlyMemory<byte> Dequeue()
    {
        var message = _first;
        Volatile.Write(ref _count, _count - 1);
        _first = _count == 0 ? default : _behind!.Dequeue();
        if (_behind is { Count: 0, Capacity: > KeptCapacityMax })
            _behind = null;
        return message;
    }

    // Without the gate.
    private bool EndPost(bool isAdded, Then then)
    {
        if (then == Then.Wake)
            _owner!.WakeToWrite();
        else if (then == Then.End)
            EndClient();
        if (isAdded)
            memory.EvictWhileOverLimit();
        return isAdded;
    }

    private bool HasNext => _count > 0 && _ahead > 0;

    private long HardLimit => client.IsSubscriber ? memory.PubSubLimits.Hard : BytesMax;

    // As in Redis: more than the limit without a break, for longer than its seconds.
    private bool IsOverSoftLimit(long bytes)
    {
        var limits = memory.PubSubLimits;
        if (bytes <= limits.Soft || !client.IsSubscriber)
        {
            _softSinceMs = 0;
            return false;
        }

        long now = memory.NowMs;
        if (_softSinceMs == 0)
            _softSinceMs = now;
        return now - _softSinceMs > limits.SoftMs;
    }

    private void EndClient()
    {
        memory.ReportLimit(ConnectionLimit.OutputBuffer, client, HardLimit);
        client.Kill();
    }

    private void Drop(long bytes)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread && bytes >= 0 && bytes <= _bytes);
        Volatile.Write(ref _bytes, _bytes - bytes);
        memory.Count(-bytes);
        if (_softSinceMs != 0)
            IsOverSoftLimit(_bytes);
    }
}
