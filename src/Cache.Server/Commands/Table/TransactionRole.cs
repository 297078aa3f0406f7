namespace Cache.Server.Commands.Table;

/// <summary>What a command does after MULTI, and what it needs in EXEC.</summary>
internal enum TransactionRole
{
    /// <summary>Queued; it reads and writes the keys that the table names, or none.</summary>
    Keys,

    /// <summary>Queued; it needs keys that nothing names before, or all, or changes the whole server.</summary>
    Whole,

    /// <summary>Queued; it clears keyspaces.</summary>
    Clear,

    /// <summary>Never queued: it begins, ends or leaves the transaction.</summary>
    Control,

    /// <summary>It executes the queue.</summary>
    Exec,
}
