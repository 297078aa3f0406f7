namespace Cache.Core;

/// <summary>How a number that does not fit in its bit field is handled.</summary>
public enum BitFieldOverflow
{
    /// <summary>Its low bits are written.</summary>
    Wrap,

    /// <summary>The largest or smallest number that fits is written.</summary>
    Saturate,

    /// <summary>Nothing is written, and there is no result.</summary>
    Fail,
}
