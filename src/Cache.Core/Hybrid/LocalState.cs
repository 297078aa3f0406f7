namespace Cache.Core.Hybrid;

/// <summary>What there is of a key in the store.</summary>
internal enum LocalState
{
    /// <summary>Nothing, or what is void or cannot be read.</summary>
    Absent,

    /// <summary>A value that may be returned.</summary>
    Fresh,

    /// <summary>A value that is kept beyond its expiration, for the case that the factory fails.</summary>
    Stale,

    /// <summary>The key has no UTF-8 form, or is longer than the store takes.</summary>
    UnusableKey,
}
