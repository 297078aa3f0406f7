namespace Cache.Server.Clients;

/// <summary>How a suspension ended.</summary>
internal enum SuspensionEnd : byte
{
    /// <summary>It has not ended; or the request was not parked.</summary>
    None,

    /// <summary>The awaited event.</summary>
    Event,

    /// <summary>Its deadline.</summary>
    Deadline,

    /// <summary>CLIENT UNBLOCK, as at the deadline.</summary>
    Unblocked,

    /// <summary>CLIENT UNBLOCK ERROR.</summary>
    UnblockedWithError,

    /// <summary>The client was killed, or the server stops; it is never parked again.</summary>
    Closing,
}
