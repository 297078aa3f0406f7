namespace Cache.Server.Commands.Dispatch;

/// <summary>How long a thread stays in the databases, in the order in which a swap asks them to leave.</summary>
internal enum DatabaseStay
{
    /// <summary>It is not there.</summary>
    None,

    /// <summary>For a turn: some milliseconds.</summary>
    Short,

    /// <summary>For a command that takes its time, elsewhere than on a loop.</summary>
    Long,
}
