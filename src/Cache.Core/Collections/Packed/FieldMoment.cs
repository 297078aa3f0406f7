namespace Cache.Core.Collections.Packed;

/// <summary>When a field of a hash expires: Unix milliseconds of the wall clock; 0: never.</summary>
internal static class FieldMoment
{
    /// <summary>The last one, in the year 4199: what Redis takes.</summary>
    public const long Last = (1L << 46) - 1;

    /// <summary>Whether it is one, and not 0.</summary>
    public static bool IsValid(long moment) => moment is > 0 and <= Last;
}
