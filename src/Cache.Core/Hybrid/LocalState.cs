namespace Cache.Core.Hybrid;

/// <summary>What the store has for a key.</summary>
internal enum LocalState
{
    /// <summary>Nothing, or a value that is void or unreadable.</summary>
    Absent,

    /// <summary>A value that may be returned.</summary>
    Fresh,

    /// <summary>An expired value, kept in case the factory fails.</summary>
    Stale,

    /// <summary>The key has no UTF-8 form, or is longer than the store takes.</summary>
    UnusableKey,
}
