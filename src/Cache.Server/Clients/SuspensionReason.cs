namespace Cache.Server.Clients;

/// <summary>Why a client is parked; a command that waits for something else adds its own.</summary>
internal enum SuspensionReason : byte
{
    /// <summary>It is not.</summary>
    None,

    /// <summary>Its reply is held back: wrong passwords, DEBUG SLEEP.</summary>
    Delay,

    /// <summary>WAIT, for replicas that are not there.</summary>
    Replicas,

    /// <summary>SAVE, for the snapshot.</summary>
    Snapshot,
}
