namespace Cache.Core;

/// <summary>What is done with one bit field.</summary>
public enum BitFieldAction
{
    /// <summary>Its number is read.</summary>
    Get,

    /// <summary>It gets a number; the result is the one from before.</summary>
    Set,

    /// <summary>A number is added; the result is the sum.</summary>
    Add,
}
