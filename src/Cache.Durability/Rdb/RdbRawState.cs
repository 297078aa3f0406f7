namespace Cache.Durability.Rdb;

/// <summary>What became of a value that is read as it is.</summary>
internal enum RdbRawState
{
    /// <summary>Its bytes are there.</summary>
    Kept,

    /// <summary>It is long, and can be read in parts.</summary>
    InParts,

    /// <summary>It is longer than any payload may be, and was skipped.</summary>
    TooLong,
}
