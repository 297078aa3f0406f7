namespace Cache.Core;

/// <summary>The condition of a set.</summary>
public enum SetCondition
{
    /// <summary>Unconditional.</summary>
    Always,

    /// <summary>Only if no live entry has the key.</summary>
    IfAbsent,

    /// <summary>Only if a live entry has the key.</summary>
    IfPresent,
}
