namespace Cache.Server.Metrics;

/// <summary>A field of INFO as a metric.</summary>
/// <param name="Field">The field's name.</param>
/// <param name="Name">The metric's name.</param>
/// <param name="Kind">Its type.</param>
internal sealed record InfoMetric(string Field, string Name, MetricKind Kind)
{
    /// <summary>The metric's help.</summary>
    public string Help { get; init; } = $"The field {Field} of INFO.";

    /// <summary>By what the field is multiplied.</summary>
    public double Scale { get; init; } = 1;
}
