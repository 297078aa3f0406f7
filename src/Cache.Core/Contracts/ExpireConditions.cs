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
