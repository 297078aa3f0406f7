namespace Cache.Tool.Migration;

/// <summary>What is to be put where.</summary>
/// <param name="Target">The server that gets it.</param>
/// <param name="Replaces">Whether entries of the same names are replaced; otherwise they stay.</param>
/// <param name="Empties">Whether the target is emptied before.</param>
internal sealed record ImportPlan(ServerName Target, bool Replaces, bool Empties)
{
    /// <summary>The server that it comes from; null: a file.</summary>
    public ServerName? Source { get; init; }

    /// <summary>Whether the source's changes are followed until somebody ends it.</summary>
    public bool Follows { get; init; }

    /// <summary>Whether its keys are read by SCAN, although it may give its stream.</summary>
    public bool Scans { get; init; }
}
