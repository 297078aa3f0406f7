namespace Cache.Server.Commands.Table;

/// <summary>What a command does with the value of a key, and what a pattern of keys allows.</summary>
[Flags]
internal enum AclKeyAccess
{
    None = 0,

    /// <summary>It returns or copies the value.</summary>
    Read = 1,

    /// <summary>It changes, creates or deletes the value.</summary>
    Write = 2,

    All = Read | Write,
}
