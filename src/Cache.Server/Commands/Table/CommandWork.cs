namespace Cache.Server.Commands.Table;

/// <summary>How much work a call of a command may be, as far as its name tells.</summary>
internal enum CommandWork
{
    /// <summary>A few microseconds: the clock is not read for it.</summary>
    Short,

    /// <summary>More in a row than a turn has time for; each call is bounded by its arguments.</summary>
    Unsure,

    /// <summary>More than a turn has time for.</summary>
    Long,
}
