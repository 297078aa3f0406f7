namespace Cache.Server.Commands.Table;

/// <summary>The most work of a call, as far as the command's name shows.</summary>
internal enum CommandWork
{
    /// <summary>A few microseconds: the clock is not read for it.</summary>
    Short,

    /// <summary>Bounded by its arguments; several in a row may exceed a turn.</summary>
    Unsure,

    /// <summary>May exceed a turn.</summary>
    Long,
}
