namespace Cache.Server.Scripts;

/// <summary>What became of SCRIPT KILL.</summary>
internal enum ScriptKill
{
    Done,

    /// <summary>No script runs.</summary>
    NoneRuns,

    /// <summary>It has written, so that it goes on.</summary>
    HasWritten,

    /// <summary>It is a function, and another script was meant; or the other way round.</summary>
    IsOfOtherKind,
}
