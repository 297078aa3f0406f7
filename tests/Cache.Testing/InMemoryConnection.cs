using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;

namespace Cache.Testing;

/// <summary>The server's end of a connection without a socket.</summary>
/// <remarks>
/// Two pipes, whose other ends an <see cref="InMemoryClient"/> holds.
/// All continuations run inline: when the client has flushed, the server has done all it can do with the bytes, on
/// the client's thread. That makes tests deterministic without waiting.
/// </remarks>
internal sealed class InMemoryConnection : TransportConnection
{
    private readonly Pipe _toServer;
    private readonly Pipe _toClient;
    private readonly Action<Action>? _post;

    /// <param name="number">Makes the address distinct.</param>
    /// <param name="bounds">The sizes of the pipes.</param>
    /// <param name="address">Where the client is; null for this machine.</param>
    public InMemoryConnection(int number, InMemoryBounds bounds, IPAddress? address = null)
    {
        _toServer = new Pipe(Options(bounds.InputPauseBytes, bounds.InputSegmentBytes));
        _toClient = new Pipe(Options(bounds.OutputPauseBytes, bounds.OutputSegmentBytes));
        var output = bounds.Pass is { } told ? new TellingWriter(_toClient.Writer, told) : _toClient.Writer;
        CountedOutput = new FlushCountingWriter(output);
        Input = bounds.Pass is { } pass ? new TellingReader(_toServer.Reader, pass) : _toServer.Reader;
        SharesThread = bounds.SharesThread;
        _post = bounds.Post;
        RemoteEndPoint = new IPEndPoint(address ?? IPAddress.Loopback, 50_000 + number);
        Client = new InMemoryClient(this, _toServer.Writer, _toClient.Reader);
    }

    public override PipeReader Input { get; }

    public override PipeWriter Output => CountedOutput;

    public override long SentBytes => TakenBytes;

    public override long UnsentMemoryBytes => CountedOutput.FlushedBytes - TakenBytes;

    /// <summary>How many bytes the client has read.</summary>
    public long TakenBytes { get; set; }

    public override bool SharesThread { get; }

    public override EndPoint RemoteEndPoint { get; }

    public override EndPoint LocalEndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 6379);

    public InMemoryClient Client { get; }

    public FlushCountingWriter CountedOutput { get; }

    /// <summary>Whether the server cut the connection off.</summary>
    public bool IsAborted { get; private set; }

    /// <summary>Whether the server has freed the connection.</summary>
    public bool IsDisposed { get; private set; }

    /// <summary>Whether bytes from the client still reach anybody.</summary>
    public bool IsReceiving { get; private set; } = true;

    public override bool IsPeerGone => HasClientClosed;

    /// <summary>Whether the client has closed its side.</summary>
    public bool HasClientClosed { get; set; }

    public override void Post(Action<object> work, object state)
    {
        if (_post is { } post)
            post(() => work(state));
        else
            base.Post(work, state);
    }

    public override void StopReceiving()
    {
        IsReceiving = false;
        _toServer.Writer.Complete();
    }

    public override void Abort()
    {
        IsAborted = true;
        IsReceiving = false;
        _toServer.Writer.Complete(new SocketException((int)SocketError.OperationAborted));
        _toClient.Reader.Complete();
    }

    public override ValueTask DisposeAsync()
    {
        IsDisposed = true;
        IsReceiving = false;
        return default;
    }

    private static PipeOptions Options(int pauseBytes, int segmentBytes) => new(
        readerScheduler: PipeScheduler.Inline,
        writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: pauseBytes,
        resumeWriterThreshold: pauseBytes / 2,
        minimumSegmentSize: segmentBytes,
        useSynchronizationContext: false);
}
