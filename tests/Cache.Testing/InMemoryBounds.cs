namespace Cache.Testing;

/// <summary>The sizes of an in-memory connection's pipes; by default those of the socket transport.</summary>
internal sealed record InMemoryBounds
{
    /// <summary>
    /// Whether long commands are executed elsewhere, as where a thread serves many; then replies come from there.
    /// </summary>
    public bool SharesThread { get; init; }

    /// <summary>Told before and after each call of the server to its transport, on the server's thread.</summary>
    public Action<string>? Pass { get; init; }

    /// <summary>Gets what the server posts to the transport's thread; null: the thread pool does.</summary>
    public Action<Action>? Post { get; init; }

    /// <summary>Bytes that the server has not read at which the client's flush waits.</summary>
    public int InputPauseBytes { get; init; } = 256 * 1024;

    /// <summary>The least stretch of memory of the server's input; a small one cuts each arrival into many.</summary>
    public int InputSegmentBytes { get; init; } = 4096;

    /// <summary>Bytes that the client has not read at which the server's flush waits.</summary>
    public int OutputPauseBytes { get; init; } = 64 * 1024;

    /// <summary>The least stretch of memory of the server's output.</summary>
    public int OutputSegmentBytes { get; init; } = 16 * 1024;
}
