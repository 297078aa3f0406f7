namespace Cache.Durability;

/// <summary>What a start does with damaged or incomplete files.</summary>
public enum RecoveryMode
{
    /// <summary>Refuses damaged files, and begins empty if the last process could not write its last changes.</summary>
    Strict = 0,

    /// <summary>Loads what is readable in damaged files, and reports what is missing.</summary>
    Skip = 1,

    /// <summary>As Skip, and also loads files whose last changes, deletions among them, were never written.</summary>
    Force = 2,
}
