namespace Cache.Server.Clients;

/// <summary>How a client is told of changed keys; it is told while it has one.</summary>
/// <remarks>
/// Replaced as a whole by the client's own commands, and read by any thread. Only the flags change.
/// </remarks>
/// <param name="modes">The modes.</param>
/// <param name="redirection">The number of the client that is told instead; 0: itself.</param>
/// <param name="prefixes">The prefixes of broadcasts, in order; empty without broadcasts.</param>
/// <param name="ticket">The right to push to the client, until it turns this off.</param>
internal sealed class ClientTracking(
    TrackingModes modes, long redirection, IReadOnlyList<byte[]> prefixes, PushTicket ticket)
{
    private volatile bool _isRedirectionBroken;

    public TrackingModes Modes { get; } = modes;

    public long Redirection { get; } = redirection;

    public IReadOnlyList<byte[]> Prefixes { get; } = prefixes;

    /// <summary>The right to push to the client.</summary>
    public PushTicket Ticket { get; } = ticket;

    /// <summary>Whether the other client was found to have gone.</summary>
    public bool IsRedirectionBroken
    {
        get => _isRedirectionBroken;
        set => _isRedirectionBroken = value;
    }

    /// <summary>Whether CLIENT CACHING came before the present command; only for the client's thread.</summary>
    public bool IsCachingGiven { get; set; }

    /// <summary>Whether it is told of changes by prefix.</summary>
    public bool IsBroadcast => Has(TrackingModes.Broadcast);

    /// <summary>Whether the present command's reads are remembered; only for the client's thread.</summary>
    public bool RemembersReads => (Modes & ~TrackingModes.NoLoop) switch
    {
        TrackingModes.None => true,
        TrackingModes.OptIn => IsCachingGiven,
        TrackingModes.OptOut => !IsCachingGiven,
        _ => false,
    };

    /// <summary>Whether the client has a mode.</summary>
    public bool Has(TrackingModes mode) => (Modes & mode) != 0;
}
