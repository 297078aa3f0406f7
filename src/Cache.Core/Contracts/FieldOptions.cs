namespace Cache.Core;

/// <summary>How fields of a hash are set.</summary>
public readonly record struct FieldOptions
{
    /// <summary>Whether all of the fields must be absent, or all present.</summary>
    public SetCondition Condition { get; init; }

    /// <summary>When they expire, in Unix milliseconds of the wall clock; 0: never.</summary>
    /// <remarks>At most <see cref="HashKey.LastExpiryUnixMs"/>. If it has passed, they are removed.</remarks>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>Whether a field that is there keeps its expiry; then no other may be given.</summary>
    public bool KeepsExpiry { get; init; }
}
