using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>The messages that others push to a client; sent between its replies, in order.</summary>
/// <remarks>
/// A connection writes its own output, from one thread at a time. While it waits for bytes or is parked it lends its
/// turn to write: then a message wakes the thread of its transport, which writes all messages that have come by then.
/// Otherwise the connection writes them before it rests. So a thread that pushes never waits for a peer, and a client
/// without an outbox pays nothing. A message is framed once and shared by all its receivers; it counts in full for
/// each. A client with more than <see cref="BytesMax"/> of unsent messages is ended. States of the turn, under the
/// gate:
/// ¶owned → (TryRest, no message is left) resting → (TryResume) owned;
/// resting → (TryBeginDrain) draining → (TryEndDrain) resting;
/// draining → (TryResume) awaited → (TryEndDrain) owned; owned → (Close) closed.
/// </remarks>
/// <param name="client">The client that receives the messages.</param>
/// <param name="memory">Counts the messages.</param>
/// <param name="report">Called when the client meets the limit.</param>
internal sealed class Outbox(ClientSession client, ClientMemory memory, Action<ConnectionLimit, string, long> report)
{
    /// <summary>The most bytes of unsent messages: Redis's hard limit for pub/sub clients.</summary>
    public const long BytesMax = 32 << 20;

    /// <summary>
    /// The bytes that a message counts beside its own: its place in the queue, and a share of the array that holds it.
    /// </summary>
    public const int MessageBytes = 64;

    private readonly Lock _gate = new();
    private readonly Queue<ReadOnlyMemory<byte>> _messages = new();
    private Turn _turn;
    private bool _isWaking;
    private bool _isOver;
    private Action? _wake;
    private TaskCompletionSource? _resumed;
    private long _bytes;

    private enum Turn : byte
    {
        Owned,
        Resting,
        Draining,
        Awaited,
        Closed,
    }

    /// <summary>The bytes that the messages count; any thread, perhaps a moment old.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Adds a message, whose bytes must not change afterwards. Any thread; never waits for the peer.</summary>
    /// <returns>False if the client is about to end.</returns>
    public bool TryPost(ReadOnlyMemory<byte> message)
    {
        long bytes = message.Length + MessageBytes;
        bool isRefused;
        Action? wake = null;
        lock (_gate)
        {
            if (_turn == Turn.Closed || _isOver)
                return false;
            isRefused = _isOver = _bytes + bytes > BytesMax;
            if (!isRefused)
            {
                memory.Count(bytes); // Before it can be taken: else its bytes could be subtracted first.
                Volatile.Write(ref _bytes, _bytes + bytes);
                _messages.Enqueue(message);
                if (_turn == Turn.Resting && !_isWaking)
                    wake = _wake;
                _isWaking |= wake is not null;
            }
        }

        if (isRefused)
        {
            report(ConnectionLimit.OutputBuffer, client.EndPoints.Remote, BytesMax);
            client.Kill();
            return false;
        }

        wake?.Invoke();
        memory.EvictWhileOverLimit();
        return true;
    }

    /// <summary>Takes the first message. For the holder of the turn.</summary>
    public bool TryTake(out ReadOnlyMemory<byte> message)
    {
        lock (_gate)
        {
            Debug.Assert(_turn is Turn.Owned or Turn.Draining or Turn.Awaited);
            if (!_messages.TryDequeue(out message))
                return false;
            Drop(message.Length + MessageBytes);
            return true;
        }
    }

    /// <summary>Gives up the turn until <see cref="TryResume"/>, if there is no message. For the connection.</summary>
    /// <param name="wake">Makes the transport's thread drain; called without a lock, on the thread that pushes.</param>
    public bool TryRest(Action wake)
    {
        lock (_gate)
        {
            Debug.Assert(_turn == Turn.Owned);
            if (_messages.Count > 0)
                return false;
            _wake = wake;
            _turn = Turn.Resting;
            return true;
        }
    }

    /// <summary>Takes the turn back. For the connection.</summary>
    /// <returns>Null if it has the turn; else a task that ends when it has, once the present write is done.</returns>
    public Task? TryResume()
    {
        lock (_gate)
        {
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
            if (_turn == Turn.Draining && _messages.Count > 0 && !isOver)
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
            _messages.Clear();
            Drop(_bytes);
        }
    }

    private void Drop(long bytes)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread && bytes >= 0 && bytes <= _bytes);
        Volatile.Write(ref _bytes, _bytes - bytes);
        memory.Count(-bytes);
    }
}
