namespace Cache.Tool;

/// <summary>What the command tells the shell.</summary>
internal enum ExitCode
{
    /// <summary>The files are whole; what was asked for was done.</summary>
    Whole = 0,

    /// <summary>Files are damaged, or lack changes.</summary>
    Damaged = 1,

    /// <summary>The words are wrong, or something cannot be read or written.</summary>
    Failed = 2,
}
