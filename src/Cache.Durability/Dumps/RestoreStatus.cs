namespace Cache.Durability.Dumps;

/// <summary>What became of a payload.</summary>
internal enum RestoreStatus
{
    /// <summary>The store has said what became of it.</summary>
    Written,

    /// <summary>Its version is later than ours, or its checksum another one.</summary>
    NoPayload,

    /// <summary>It has no value, or a damaged one.</summary>
    Damaged,

    /// <summary>It has more than any store takes.</summary>
    TooLong,
}
