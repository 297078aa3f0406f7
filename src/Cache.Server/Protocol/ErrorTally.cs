namespace Cache.Server.Protocol;

/// <summary>Numbers of errors that were replied, by who counts them.</summary>
/// <remarks>
/// As in Redis an error is counted once: where it arises. What a script or EXEC passes on was counted before.
/// </remarks>
internal struct ErrorTally
{
    /// <summary>Errors that nobody has counted.</summary>
    public int New { get; set; }

    /// <summary>New errors that were counted by their codes already.</summary>
    public int Counted { get; set; }

    /// <summary>Errors that commands of a script have replied before.</summary>
    public int Repeated { get; set; }
}
