namespace Cache.Tool.Verbs;

/// <summary>What the command tells the shell.</summary>
internal enum ExitCode
{
    /// <summary>The files are whole; what was asked for was done.</summary>
    Whole = 0,

    /// <summary>Files are damaged, or lack changes.</summary>
    Damaged = 1,

    /// <summary>The words are wrong, or something cannot be read or written.</summary>
    Failed = 2,

    /// <summary>For those that judge a server: it fails requests, or may lose data.</summary>
#pragma warning disable CA1069 // The number is in use by others: theirs became 3 where this one is.
    Critical = 2,
#pragma warning restore CA1069

    /// <summary>As <see cref="Failed"/>, for verbs that have <see cref="Critical"/>.</summary>
    Unjudged = 3,
}
