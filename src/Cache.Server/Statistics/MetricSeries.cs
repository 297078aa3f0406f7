namespace Cache.Server.Statistics;

/// <summary>A series of <see cref="MetricHistory"/>.</summary>
/// <param name="Name">Its name, such as "commands_per_second".</param>
/// <param name="IsMaximum">Whether ten seconds of it are shown by their maximum, not their mean.</param>
/// <param name="IsRate">Whether it is the change of a counter in a second.</param>
internal readonly record struct MetricSeries(string Name, bool IsMaximum = false, bool IsRate = false);
