namespace Cache.Server.Statistics;

/// <summary>A request that exceeded a limit.</summary>
/// <param name="AtUnixSeconds">When it ended.</param>
/// <param name="Value">Its duration in microseconds, or its bytes or those of its reply.</param>
/// <param name="Arguments">The beginnings of its first arguments, without secrets.</param>
/// <param name="Client">The client's address.</param>
/// <param name="ClientName">The name that the client has set.</param>
internal sealed record SlowRequest(
    long AtUnixSeconds, long Value, byte[][] Arguments, string Client, byte[] ClientName)
{
    /// <summary>Its number in the log.</summary>
    public long Id { get; init; }
}
