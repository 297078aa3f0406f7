using Cache.Client;

namespace Cache.Near.Links;

/// <summary>Which server a link is for, and how it proves that it is still the one.</summary>
internal interface ILinkTarget : IAsyncDisposable
{
    /// <summary>Where the server is now.</summary>
    ValueTask<ServerAddress> ResolveAsync(CancellationToken token);

    /// <summary>Asks what has to be known of a connection once.</summary>
    ValueTask BeginAsync(NearLink link, RespConnection connection, CancellationToken token);

    /// <summary>The heartbeat: returns if the server has proved that it is a primary, and which slots it has.</summary>
    /// <param name="link">The link.</param>
    /// <param name="connection">Its connection.</param>
    /// <param name="forgets">
    /// Whether the local entries of the server's keys go once it has: they may have changed before this connection.
    /// </param>
    /// <param name="token">Ends the wait.</param>
    /// <exception cref="RespClientException">It has not; the connection is of no use.</exception>
    ValueTask VerifyAsync(NearLink link, RespConnection connection, bool forgets, CancellationToken token);
}
