namespace Cache.Server.Clients;

/// <summary>What has ended a suspension.</summary>
internal enum SuspensionEnd : byte
{
    /// <summary>Nothing yet; or the request was not parked.</summary>
    None,

    /// <summary>What it waited for.</summary>
    Event,

    /// <summary>Its deadline.</summary>
    Deadline,

    /// <summary>CLIENT UNBLOCK, as if its deadline had come.</summary>
    Unblocked,

    /// <summary>CLIENT UNBLOCK ERROR.</summary>
    UnblockedWithError,

    /// <summary>The client was killed, or the server stops; from then on it is not parked any more.</summary>
    Closing,
}
