namespace Cache.Core;

/// <summary>
/// When a change of an entry's expiry takes place; an entry without expiry counts as expiring never.
/// </summary>
[Flags]
public enum ExpireConditions
{
    /// <summary>In any case.</summary>
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
