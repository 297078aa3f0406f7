namespace Cache.Core;

/// <summary>
/// The conditions for a change of an entry's expiry; an entry without expiry counts as never expiring.
/// </summary>
[Flags]
public enum ExpireConditions
{
    /// <summary>Unconditional.</summary>
    None = 0,

    /// <summary>Only if the entry has no expiry.</summary>
    IfNone = 1,

    /// <summary>Only if the entry has an expiry.</summary>
    IfAny = 2,

    /// <summary>Only if the new expiry is later than the present one.</summary>
    IfLater = 4,

    /// <summary>Only if the new expiry is earlier than the present one.</summary>
    IfEarlier = 8,
}

/// <summary>What a change of a field's expiry came to; the numbers are those that Redis replies.</summary>
public enum FieldExpiryStatus
{
    /// <summary>There is no such field.</summary>
    NotFound = -2,

    /// <summary>The field had no expiry to take away.</summary>
    NoExpiry = -1,

    /// <summary>The condition does not hold: the field keeps what it has.</summary>
    ConditionNotMet = 0,

    /// <summary>The field has the new expiry, or none any more.</summary>
    Done = 1,

    /// <summary>The moment has passed: the field was removed.</summary>
    Removed = 2,
}
