namespace Cache.Bench.Subjects;

/// <summary>When a use of a large collection counts for it as one of a small entry does.</summary>
internal enum MeritRule
{
    /// <summary>Always: what the store does.</summary>
    EachUse,

    /// <summary>With the probability of a small entry's bytes in its own: merit is uses per byte.</summary>
    PerByte,

    /// <summary>With the root of that.</summary>
    PerRoot,
}
