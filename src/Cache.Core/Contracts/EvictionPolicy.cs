namespace Cache.Core;

/// <summary>Which entries may be evicted when the memory limit is reached.</summary>
public enum EvictionPolicy
{
    /// <summary>None: a write that needs room is refused with <see cref="WriteStatus.OutOfMemory"/>.</summary>
    None,

    /// <summary>Any entry.</summary>
    AllEntries,

    /// <summary>Only entries that have an expiry.</summary>
    ExpiringEntries,
}
