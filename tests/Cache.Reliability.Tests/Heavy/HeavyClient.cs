using Cache.Testing;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>A client with at most one request under way, of which it sends as much as it is told to.</summary>
internal sealed class HeavyClient
{
    private PartStream? _unsent;

    public InMemoryClient? Connection { get; set; }

    public HeavyRequest? Request { get; private set; }

    /// <summary>What is expected; null before the last byte was sent.</summary>
    public HeavyReply? Reply { get; set; }

    /// <summary>How many bytes are to be sent; then the client goes away if they are not all.</summary>
    public long SendBytes { get; private set; }

    public long SentBytes { get; set; }

    public bool IsSent => SentBytes == SendBytes;

    public bool IsCutOff => SendBytes < Request!.Length;

    /// <summary>What the server's thread took for it.</summary>
    public TimeSpan ServerTime { get; set; }

    public void Begin(HeavyRequest request, long sendBytes)
    {
        Request = request;
        SendBytes = sendBytes;
        SentBytes = 0;
        ServerTime = default;
        _unsent = new PartStream(request.Parts());
    }

    public int ReadPiece(Span<byte> piece) =>
        _unsent!.Read(piece[..(int)Math.Min(piece.Length, SendBytes - SentBytes)]);

    public void End()
    {
        _unsent?.Dispose();
        _unsent = null;
        Request = null;
        Reply = null;
    }
}
