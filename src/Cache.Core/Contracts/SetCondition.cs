namespace Cache.Core;

/// <summary>When a set takes place.</summary>
public enum SetCondition
{
    /// <summary>In any case.</summary>
    Always,

    /// <summary>Only if no live entry has the key.</summary>
    IfAbsent,

    /// <summary>Only if a live entry has the key.</summary>
    IfPresent,
}
