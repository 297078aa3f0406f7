namespace Cache.Client;

/// <summary>
/// Takes what a server sends without being asked, on the thread that reads, in order with the replies. It must not
/// wait.
/// </summary>
internal interface IPushSink
{
    /// <summary>A key has changed; the bytes are valid during the call.</summary>
    void Invalidate(ReadOnlySpan<byte> key);

    /// <summary>Any key may have changed.</summary>
    void InvalidateAll();

    /// <summary>Another push.</summary>
    void Push(in RespReply push);
}
