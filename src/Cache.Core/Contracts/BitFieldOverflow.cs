namespace Cache.Core;

/// <summary>What becomes of a number that does not fit its bit field.</summary>
public enum BitFieldOverflow
{
    /// <summary>Its low bits are kept.</summary>
    Wrap,

    /// <summary>It becomes the largest or smallest number that fits.</summary>
    Saturate,

    /// <summary>Nothing is written, and there is no result.</summary>
    Fail,
}
