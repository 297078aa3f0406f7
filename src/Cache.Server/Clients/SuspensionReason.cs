namespace Cache.Server.Clients;

/// <summary>Why a client is parked.</summary>
internal enum SuspensionReason : byte
{
    /// <summary>It is not parked.</summary>
    None,

    /// <summary>Its reply is delayed: wrong passwords, DEBUG SLEEP.</summary>
    Delay,

    /// <summary>CLIENT PAUSE.</summary>
    Pause,

    /// <summary>WAIT, for replicas that do not exist.</summary>
    Replicas,

    /// <summary>SAVE, for the snapshot.</summary>
    Snapshot,

    /// <summary>WAITAOF, for the sync of the journal.</summary>
    Journal,

    /// <summary>MIGRATE, for the server that the keys go to.</summary>
    Target,

    /// <summary>BLPOP and its like, for a change of keys.</summary>
    Keys,
}
