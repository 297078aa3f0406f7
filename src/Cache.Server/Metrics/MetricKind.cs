namespace Cache.Server.Metrics;

/// <summary>The type of a metric in Prometheus's text format.</summary>
internal enum MetricKind
{
    /// <summary>A value that goes up and down.</summary>
    Gauge,

    /// <summary>A count that only grows, until a restart or CONFIG RESETSTAT.</summary>
    Counter,

    /// <summary>Quantiles, with a sum and a count.</summary>
    Summary,

    /// <summary>Counts up to bounds, with a sum and a count.</summary>
    Histogram,
}
