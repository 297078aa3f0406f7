namespace Cache.Server.Scripts;

/// <summary>What the server does for a script that runs.</summary>
internal interface IScriptHost
{
    /// <summary>Whether the script must end: SCRIPT KILL.</summary>
    bool IsKilled { get; }

    /// <summary>The version of RESP in which commands answer the script: 2 or 3.</summary>
    int ProtocolVersion { get; set; }

    /// <summary>Whether the script may not write; a script may say so itself.</summary>
    bool IsReadOnly { get; set; }

    /// <summary>
    /// Whether the script keeps to keys of one slot, as one must whose first line does not say otherwise; set before
    /// its first command. It matters in a cluster alone.
    /// </summary>
    bool UsesOneSlot { get; set; }

    /// <summary>Whether the server is one of a cluster.</summary>
    bool IsInCluster { get; }

    /// <summary>Whether the script is a simple one that runs on a loop: nothing has to end it.</summary>
    bool IsShort { get; }

    /// <summary>The most bytes of the script's reply.</summary>
    long ReplyBytesMax { get; }

    /// <summary>Writes a line to the server's log.</summary>
    /// <param name="level">From 0, for those who look for a defect, to 3, a warning.</param>
    /// <param name="text">The line.</param>
    void Log(int level, ReadOnlySpan<byte> text);

    /// <summary>Forgets the arguments of the last command.</summary>
    void ClearArguments();

    /// <summary>Adds the name or an argument of the next command.</summary>
    /// <returns>False: all of them together would be too long, and nothing was added.</returns>
    bool TryAddArgument(ReadOnlySpan<byte> argument);

    /// <summary>Executes the command whose name and arguments were added.</summary>
    /// <returns>
    /// Its reply as it would be sent, one whole frame; valid until the next call. An error of the call itself is an
    /// error reply.
    /// </returns>
    ReadOnlySpan<byte> Call();

    /// <summary>Counts an error that a script replies within a table, as its own.</summary>
    /// <param name="code">Its first word.</param>
    void CountError(ReadOnlySpan<byte> code);

    /// <summary>Whether the user may execute the command whose name and arguments were added.</summary>
    /// <returns>Null: there is no such command.</returns>
    bool? MayCall();
}
