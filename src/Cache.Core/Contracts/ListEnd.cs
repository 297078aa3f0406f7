namespace Cache.Core;

/// <summary>An end of a list.</summary>
public enum ListEnd
{
    /// <summary>Where the element with the index 0 is.</summary>
    Left,

    /// <summary>Where the last element is.</summary>
    Right,
}
