namespace Cache.Durability;

/// <summary>What a start does with files that do not tell everything that they once held.</summary>
public enum RecoveryMode
{
    /// <summary>Refuses damaged files, and begins empty where the last process could not write any more.</summary>
    Strict = 0,

    /// <summary>Reads what is left of damaged files, and tells what is missing.</summary>
    Skip = 1,

    /// <summary>As Skip, and reads files too whose last changes, deletions among them, were never written.</summary>
    Force = 2,
}
