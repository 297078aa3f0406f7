namespace Cache.Core;

/// <summary>How several sets become one.</summary>
public enum SetCombination
{
    /// <summary>The members of any of them.</summary>
    Union,

    /// <summary>The members that all of them have.</summary>
    Intersection,

    /// <summary>The members of the first one that no other has.</summary>
    Difference,
}
