using System.Diagnostics;
using System.Net.Security;
using System.Net.Sockets;
using Cache.Bench.Subjects;

namespace Cache.Bench.ServerLoad;

/// <summary>One connection of the load: sends a batch, takes its replies, sends the next.</summary>
/// <remarks>
/// Runs on whichever thread completes its channel's operations; one at a time, since the next operation is begun only
/// by the end of the one before. A batch has two ends, the send's and the last reply's: the later one begins the next
/// batch. The receive is begun while the send may still be going on, else a server that waits for its replies to be
/// taken and a client that waits for its requests to be taken would wait for each other.
/// With a schedule, a connection whose next command is not due rests, and the pacer wakes it.
/// Nothing is allocated after construction.
/// </remarks>
internal sealed class LoadConnection : IThreadPoolWorkItem, IDisposable
{
    private const int InputBytesMin = 64 * 1024;

    // Batches whose replies were there at once, before the thread goes on to other connections.
    private const int BatchesAtOnceMax = 4;

    private readonly LoadOptions _options;
    private readonly RequestEncoder _encoder;
    private readonly ReplyVerifier _verifier;

    // The channel and its two buffers.
    private readonly LoadChannel _channel;
    private readonly byte[] _output;
    private readonly byte[] _input;
    private int _inputLength;

    // The batch under way; a SET's id is stored as its complement.
    private readonly long[] _ids;
    private readonly long[] _dueAt;
    private long _sentAt;
    private int _count;
    private int _answered;
    private int _endsLeft;

    // The phase under way.
    private LoadPhase? _phase;
    private CommandSource? _commands;
    private SendSchedule? _schedule;
    private int _isResting;
    private uint _version;

    /// <param name="options">The load.</param>
    /// <param name="stream">To the server; an <see cref="SslStream"/>, or the socket's own.</param>
    /// <param name="values">What values are.</param>
    /// <param name="depthMax">The most commands of a batch.</param>
    public LoadConnection(LoadOptions options, Stream stream, ValuePattern values, int depthMax)
    {
        _options = options;
        _channel = stream is SslStream tls
            ? new TlsChannel(tls) { Sent = OnSent, Received = OnReceived }
            : new SocketChannel((NetworkStream)stream) { Sent = OnSent, Received = OnReceived };
        _encoder = new RequestEncoder(options.KeyBytes, values);
        _verifier = new ReplyVerifier(values, options.VerifyValues);
        _output = new byte[depthMax * _encoder.RequestBytesMax];
        _input = new byte[Math.Max(InputBytesMin, 2 * _verifier.ReplyBytesMax)];
        _ids = new long[depthMax];
        _dueAt = new long[depthMax];
    }

    public LoadCounts Counts { get; } = new();

    /// <summary>Sets what the next phase consists of. Then the thread pool or the pacer executes it.</summary>
    public void Prepare(LoadPhase phase, CommandSource commands, SendSchedule? schedule)
    {
        _phase = phase;
        _commands = commands;
        _schedule = schedule;
        Counts.Clear();
        Volatile.Write(ref _isResting, schedule is null ? 0 : 1);
    }

    public void Execute() => Run();

    /// <summary>Sends what is due, if the connection rests. Called by the pacer alone.</summary>
    /// <returns>When the next command is due; the far future if the connection is at work.</returns>
    public long WakeIfDue(long now)
    {
        if (Volatile.Read(ref _isResting) == 0)
            return long.MaxValue;
        if (_schedule!.NextAt > now && !_phase!.IsOver)
            return _schedule.NextAt;
        Volatile.Write(ref _isResting, 0);
        Run();
        return long.MaxValue;
    }

    public void Dispose() => _channel.Dispose();

    private void Run()
    {
        for (int batches = 0; batches < BatchesAtOnceMax; batches++)
        {
            if (!TrySendBatch() || !TryTakeReplies())
                return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    // False when there is nothing to send now, or never again in this phase.
    private bool TrySendBatch()
    {
        var phase = _phase!;
        int bytes = 0;
        _count = _answered = 0;
        if (phase.IsOver)
        {
            phase.Leave();
            return false;
        }

        long now = Stopwatch.GetTimestamp();
        while (_count < phase.Depth && (_schedule is null || _schedule.NextAt <= now))
        {
            if (!_commands!.TryNext(out long id, out bool isSet))
                break;
            bytes += Encode(bytes, id, isSet);
        }

        if (_count == 0)
        {
            RestOrLeave(now);
            return false;
        }

        _sentAt = Stopwatch.GetTimestamp();
        BeginSend(bytes);
        return true;
    }

    private int Encode(int offset, long id, bool isSet)
    {
        if (_schedule is not null)
        {
            _dueAt[_count] = _schedule.NextAt;
            _schedule.Take();
        }

        var output = _output.AsSpan(offset);
        _ids[_count++] = isSet ? ~id : id;
        return isSet ? _encoder.WriteSet(output, id, ++_version) : _encoder.WriteGet(output, id);
    }

    // After this the connection may already be at work on the pacer's thread.
    private void RestOrLeave(long now)
    {
        if (_schedule is not null && _schedule.NextAt > now)
            Volatile.Write(ref _isResting, 1);
        else
            _phase!.Leave();
    }

    private void BeginSend(int bytes)
    {
        Volatile.Write(ref _endsLeft, 2);
        if (_channel.Send(_output, bytes))
            return;
        Volatile.Write(ref _endsLeft, 1);
        CheckSend();
    }

    // True when the batch is over and the next one may be sent; false when a callback goes on.
    private bool TryTakeReplies()
    {
        while (_answered < _count)
        {
            if (_channel.Receive(_input, _inputLength))
                return false;
            if (!TakeReceived())
                return false;
        }

        return Interlocked.Decrement(ref _endsLeft) == 0;
    }

    private void OnSent()
    {
        CheckSend();
        if (Interlocked.Decrement(ref _endsLeft) == 0)
            Run();
    }

    private void OnReceived()
    {
        if (TakeReceived() && TryTakeReplies())
            Run();
    }

    // The connection is broken then, so its receive fails too: there it leaves the phase.
    private void CheckSend()
    {
        if (_channel.SendFailure is { } failure)
            _phase!.Fail(failure);
    }

    // False when the connection has failed and left the phase.
    private bool TakeReceived()
    {
        if (_channel.ReceiveFailure is { } failure)
            return Fail(failure);

        long now = Stopwatch.GetTimestamp();
        var input = _input.AsSpan(0, _inputLength + _channel.ReceivedBytes);
        int consumed = 0;
        while (_answered < _count)
        {
            var kind = ReadReply(input[consumed..], _ids[_answered], out int length);
            if (kind == ReplyKind.Incomplete)
                break;
            if (kind == ReplyKind.Wrong || (kind == ReplyKind.Miss && _options.RequireHits))
                return Fail(WrongReply.Describe(_ids[_answered], kind, input[consumed..]));
            consumed += length;
            Counts.Latencies.Record(now - (_schedule is null ? _sentAt : _dueAt[_answered]));
            _answered++;
        }

        return Keep(input[consumed..]);
    }

    private ReplyKind ReadReply(ReadOnlySpan<byte> input, long id, out int length)
    {
        if (id < 0)
        {
            var stored = ReplyVerifier.ReadSet(input, out length);
            if (stored == ReplyKind.Stored)
                Counts.Stored++;
            return stored;
        }

        var kind = _verifier.ReadGet(input, id, out length);
        if (kind == ReplyKind.Hit)
            Counts.Hits++;
        else if (kind == ReplyKind.Miss)
            Counts.Misses++;
        return kind;
    }

    // The beginning of a reply waits for its rest at the buffer's front.
    private bool Keep(ReadOnlySpan<byte> rest)
    {
        if (_answered == _count && rest.Length > 0)
            return Fail("The server sent more replies than there were requests.");
        rest.CopyTo(_input);
        _inputLength = rest.Length;
        return true;
    }

    private bool Fail(string failure)
    {
        _phase!.Fail(failure);
        _phase.Leave();
        return false;
    }
}
