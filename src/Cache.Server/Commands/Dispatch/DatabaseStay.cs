namespace Cache.Server.Commands.Dispatch;

/// <summary>How long a thread uses the databases, in the order in which a swap waits for such threads.</summary>
internal enum DatabaseStay
{
    /// <summary>It does not use them.</summary>
    None,

    /// <summary>For a turn: some milliseconds.</summary>
    Short,

    /// <summary>For a long command, not on an event loop.</summary>
    Long,
}
