namespace Cache.Core;

/// <summary>The action of a step on a bit field.</summary>
public enum BitFieldAction
{
    /// <summary>Reads its number.</summary>
    Get,

    /// <summary>Writes a number; the result is the previous one.</summary>
    Set,

    /// <summary>Adds a number; the result is the sum.</summary>
    Add,
}
