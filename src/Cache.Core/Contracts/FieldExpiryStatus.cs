namespace Cache.Core;

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
