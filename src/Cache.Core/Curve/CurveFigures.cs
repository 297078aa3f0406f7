namespace Cache.Core.Curve;

/// <summary>What the curve needs to know of the store.</summary>
internal readonly record struct CurveFigures
{
    /// <summary>The store's hits so far.</summary>
    public long Hits { get; init; }

    /// <summary>The store's misses so far.</summary>
    public long Misses { get; init; }

    /// <summary>The bytes of records and blocks that live.</summary>
    public long LiveBytes { get; init; }

    /// <summary>All bytes that count against the limit.</summary>
    public long UsedBytes { get; init; }

    /// <summary>The limit.</summary>
    public long LimitBytes { get; init; }

    /// <summary>The time in milliseconds of the store's clock.</summary>
    public long NowMs { get; init; }
}
