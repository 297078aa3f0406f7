namespace Cache.Server.Scripts;

/// <summary>What becomes of the libraries that are there when others are restored.</summary>
internal enum RestorePolicy
{
    /// <summary>They stay, and nothing is restored if names are the same.</summary>
    Append,

    /// <summary>Those of the same names are replaced.</summary>
    Replace,

    /// <summary>They go.</summary>
    Flush,
}
