using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>What others push to a client: messages that leave between its replies, in their order.</summary>
/// <remarks>
/// A connection writes its output itself, from one thread at a time. While it waits for bytes or is parked it lends
/// its turn: then a message wakes the thread of its transport, which writes what there is, once for all messages that
/// came meanwhile. Otherwise the connection writes them before it rests. So nobody who pushes waits for a peer, and a
/// client without an outbox pays nothing. A message is framed once and shared by all who get it; it counts in full for
/// each. A client that lets more than <see cref="BytesMax"/> lie is ended. States of the turn, under the gate:
/// owned → (TryRest, nothing is there) resting → (TryResume) owned;
/// resting → (TryBeginDrain) draining → (TryEndDrain) resting;
/// draining → (TryResume) awaited → (TryEndDrain) owned; owned → (Close) closed.
/// </remarks>
/// <param name="client">Whose it is.</param>
/// <param name="memory">Where the messages count.</param>
/// <param name="report">Told of a client that met its limit.</param>
internal sealed class Outbox(ClientSession client, ClientMemory memory, Action<ConnectionLimit, string, long> report)
{
    /// <summary>What may lie there: Redis's hard limit of a client of pub/sub.</summary>
    public const long BytesMax = 32 << 20;

    /// <summary>What a message counts beside its bytes: its place, and a share of what holds it.</summary>
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

    /// <summary>What the messages count; any thread, perhaps a moment old.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Adds a message, whose bytes must not change any more. Any thread; never waits for the peer.</summary>
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
                memory.Count(bytes); // Before it can be taken, or it would be taken back first.
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

    /// <summary>Takes the first message. Who has the turn.</summary>
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

    /// <summary>Gives up the turn until <see cref="TryResume"/>, if there is no message. The connection.</summary>
    /// <param name="wake">Lets the transport's thread drain; called under no lock, by whoever pushes.</param>
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

    /// <summary>Takes the turn back. The connection.</summary>
    /// <returns>Null if it has it; else done once it has, when what is being written has left.</returns>
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

    /// <summary>Takes the turn of a connection that rests. The transport's thread.</summary>
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
    /// <param name="isOver">Whether it is given back all the same: nothing can be written.</param>
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

    /// <summary>Takes no message any more, and drops those that are left. The connection, which has the turn.</summary>
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
