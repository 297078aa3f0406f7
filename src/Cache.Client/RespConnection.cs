using System.Diagnostics;
using System.Net.Sockets;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>
/// A connection: sends requests one behind the other, and hands on replies and pushes in their order.
/// </summary>
/// <remarks>
/// Algorithm: who sends appends to the output and to the queue of awaited replies under one lock; the first who finds
/// no writer becomes it, and writes what others have appended meanwhile. One loop reads. Concurrency: any thread sends;
/// replies and pushes are taken by the loop, one after the other. Invariants: the queue is in the order of the output;
/// after a failure nothing is appended, and each awaited reply has been answered or failed. What the server sends is
/// bounded, and so is what waits for it.
/// </remarks>
internal sealed partial class RespConnection : IAsyncDisposable
{
    // Beyond these a server that has stopped to answer would collect requests until its reply is late.
    private const int PendingCountMax = 16 * 1024;
    private const int OutputBytesMax = 64 << 20;

    private const int InputBytes = 16 * 1024;
    private const int KeptBytesMax = 64 * 1024;

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly RespClientOptions _options;

    // Of the loop that reads.
    private readonly ReplyBuilder _builder;
    private readonly PushReader _pushes;
    private byte[] _input = new byte[InputBytes];
    private int _inputStart;
    private int _inputEnd;
    private int _bytesNeeded = 1;
    private Task _reading = Task.CompletedTask;

    // Under the lock.
    private readonly Lock _gate = new();
    private readonly Queue<PendingReply> _pending = new();
    private RespRequestWriter _output = new();
    private bool _isWriting;
    private RespClientException? _failure;

    // Of the writer.
    private RespRequestWriter _leaving = new();

    private RespConnection(
        ServerAddress address, RespClientOptions options, IPushSink? sink, Socket socket, Stream stream)
    {
        Address = address;
        _options = options;
        _socket = socket;
        _stream = stream;
        _builder = new ReplyBuilder(options.ReplyBytesMax);
        _pushes = new PushReader(sink, options.ReplyBytesMax);
    }

    public ServerAddress Address { get; }

    /// <summary>2 or 3, as the server and we agreed.</summary>
    public int ProtocolVersion { get; private set; } = 2;

    /// <summary>What the server says it is: "standalone", "cluster", "sentinel"; empty: it does not say.</summary>
    public string Mode { get; private set; } = "";

    /// <summary>Complete when the connection is closed and nothing is taken from it any more. It never fails.</summary>
    public Task Closed => _reading;

    /// <summary>Why it is closed; null: it is open.</summary>
    public RespClientException? Failure
    {
        get
        {
            lock (_gate)
                return _failure;
        }
    }

    /// <summary>Sends requests whose replies are taken in order; after a failure they fail at once.</summary>
    public void Send(ReadOnlySpan<byte> requests, PendingReply pending)
    {
        RespClientException? refusal;
        bool writes = false;
        lock (_gate)
        {
            refusal = _failure ?? RefusalOf(requests.Length, pending);
            if (refusal is null)
            {
                _output.AddRequests(requests);
                _pending.Enqueue(pending);
                writes = !_isWriting;
                _isWriting = true;
            }
        }

        if (refusal is not null)
            pending.Fail(refusal);
        else if (writes)
            _ = WriteAsync();
    }

    /// <summary>Sends a request and waits for its reply, which may be an error.</summary>
    /// <exception cref="RespClientException">There is none in time; the connection is closed.</exception>
    public async ValueTask<RespReply> CallAsync(RespRequestWriter request, string command, CancellationToken token)
    {
        var call = new ReplyCall(command);
        Send(request.Written.Span, call);
        try
        {
            return await call.Task.WaitAsync(_options.ReplyTimeout, token).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            var failure = Late(command);
            Close(failure);
            throw failure;
        }
    }

    /// <summary>As <see cref="CallAsync"/>, where an error is an exception.</summary>
    public async ValueTask<RespReply> DemandAsync(RespRequestWriter request, string command, CancellationToken token)
    {
        var reply = await CallAsync(request, command, token).ConfigureAwait(false);
        return reply.IsError ? throw Refused(command, reply) : reply;
    }

    /// <summary>The exception for an error reply.</summary>
    public RespClientException Refused(string command, in RespReply error) =>
        new($"{Address}, {command}: {error.Text}", error.ErrorCode);

    /// <summary>The exception for a reply that did not come in time.</summary>
    public RespClientException Late(string command) =>
        new($"{Address}, {command}: no reply within {_options.ReplyTimeout.TotalMilliseconds:0} ms");

    /// <summary>Closes it; what waits for replies fails with this.</summary>
    public void Close(RespClientException failure)
    {
        PendingReply[] lost;
        lock (_gate)
        {
            if (_failure is not null)
                return;
            _failure = failure;
            lost = [.. _pending];
            _pending.Clear();
            _output = new RespRequestWriter();
        }

        _socket.Dispose();
        foreach (var pending in lost)
            pending.Fail(failure);
    }

    public async ValueTask DisposeAsync()
    {
        Close(new RespClientException($"{Address}: the connection was closed here"));
        await _reading.ConfigureAwait(false);
        await _stream.DisposeAsync().ConfigureAwait(false);
    }

    private RespClientException? RefusalOf(int length, PendingReply pending) =>
        _pending.Count >= PendingCountMax || (long)_output.Length + length > OutputBytesMax
            ? new RespClientException(
                $"{Address}, {pending.Command}: {_pending.Count} requests and {_output.Length} bytes wait already")
            : null;

    private async Task WriteAsync()
    {
        try
        {
            while (TryTakeOutput())
            {
                await _stream.WriteAsync(_leaving.Written).ConfigureAwait(false);
                _leaving.Clear(KeptBytesMax);
            }
        }
        catch (Exception failure) when (failure is IOException or SocketException or ObjectDisposedException
            or InvalidOperationException)
        {
            Close(new RespClientException($"{Address}: sending failed: {failure.Message}", failure));
        }
    }

    private bool TryTakeOutput()
    {
        lock (_gate)
        {
            Debug.Assert(_isWriting);
            if (_output.Length == 0 || _failure is not null)
            {
                _isWriting = false;
                return false;
            }

            (_output, _leaving) = (_leaving, _output);
            return true;
        }
    }
}
