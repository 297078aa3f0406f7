using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace AspNet;

/// <summary>Writes each metric on a line. An application has one of the packages OpenTelemetry.Exporter.*.</summary>
internal sealed class ConsoleExporter : BaseExporter<Metric>
{
    public override ExportResult Export(in Batch<Metric> batch)
    {
        foreach (var metric in batch)
        {
            foreach (ref readonly var point in metric.GetMetricPoints())
                Console.WriteLine($"metric {metric.Name}{TagsOf(point)} = {ValueOf(metric, point)} {metric.Unit}");
        }

        return ExportResult.Success;
    }

    private static double ValueOf(Metric metric, in MetricPoint point) => metric.MetricType switch
    {
        MetricType.LongGauge => point.GetGaugeLastValueLong(),
        MetricType.DoubleSum => point.GetSumDouble(),
        MetricType.Histogram => point.GetHistogramCount(),
        _ => point.GetSumLong(),
    };

    private static string TagsOf(in MetricPoint point)
    {
        string text = "";
        foreach (var (key, value) in point.Tags)
            text += $" {key}={value}";
        return text;
    }
}
