using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Cache.Testing;

/// <summary>
/// Reads Prometheus's text format, version 0.0.4, by its specification, and refuses what a collector would refuse.
/// </summary>
internal sealed partial class PrometheusText
{
    private static readonly string[] _types = ["counter", "gauge", "histogram", "summary", "untyped"];

    private readonly List<PrometheusSample> _samples = [];
    private readonly Dictionary<string, string> _typeByMetric = new(StringComparer.Ordinal);
    private readonly HashSet<string> _helped = new(StringComparer.Ordinal);
    private readonly HashSet<string> _ended = new(StringComparer.Ordinal);
    private readonly HashSet<string> _seen = new(StringComparer.Ordinal);
    private string _metric = "";

    private PrometheusText()
    {
    }

    /// <summary>All samples, in their order.</summary>
    public IReadOnlyList<PrometheusSample> Samples => _samples;

    /// <summary>The type of each metric.</summary>
    public IReadOnlyDictionary<string, string> Types => _typeByMetric;

    /// <exception cref="FormatException">A line is wrong, or stands in the wrong place.</exception>
    public static PrometheusText Parse(ReadOnlySpan<byte> bytes)
    {
        string text = new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes);
        if (!text.EndsWith('\n') || text.Contains('\r'))
            throw new FormatException("The text must end with a line feed, and have no carriage return.");
        var parsed = new PrometheusText();
        foreach (string line in text[..^1].Split('\n'))
            parsed.Read(line);
        parsed.CheckHistograms();
        return parsed;
    }

    /// <summary>The value of the only sample with a name and labels.</summary>
    public double Value(string name, params string[] labels) =>
        _samples.Single(sample => sample.Name == name && sample.Has(labels)).Value;

    private void Read(string line)
    {
        if (line.StartsWith("# HELP ", StringComparison.Ordinal))
        {
            string metric = line.Split(' ', 4)[2];
            Require(_helped.Add(metric), $"a second help of {metric}");
            Begin(metric);
        }
        else if (line.StartsWith("# TYPE ", StringComparison.Ordinal))
        {
            string[] words = line.Split(' ');
            Require(words.Length == 4 && _types.Contains(words[3]), $"no type: {line}");
            Require(_typeByMetric.TryAdd(words[2], words[3]), $"a second type of {words[2]}");
            Begin(words[2]);
        }
        else if (line.Length > 0 && line[0] != '#')
            ReadSample(line);
    }

    // All lines of a metric are one group.
    private void Begin(string metric)
    {
        Require(MetricName().IsMatch(metric), $"no name of a metric: {metric}");
        if (metric == _metric)
            return;
        Require(!_ended.Contains(metric), $"{metric} is not one group");
        _ended.Add(_metric);
        _metric = metric;
    }

    private void ReadSample(string line)
    {
        int end = line.AsSpan().IndexOfAny('{', ' ');
        Require(end > 0, $"no sample: {line}");
        string name = line[..end];
        var labels = new SortedDictionary<string, string>(StringComparer.Ordinal);
        int at = line[end] == '{' ? ReadLabels(line, end + 1, labels) : end;
        Require(line[at] == ' ', $"no blank before the value: {line}");
        Begin(MetricOf(name, labels));
        double value = line[(at + 1)..] switch
        {
            "+Inf" => double.PositiveInfinity,
            "-Inf" => double.NegativeInfinity,
            "NaN" => double.NaN,
            var text => double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture),
        };
        string identity = name + string.Concat(labels.Select(label => $"\n{label.Key}\n{label.Value}"));
        Require(_seen.Add(identity), $"twice: {line}");
        _samples.Add(new PrometheusSample(name, labels, value));
    }

    // A suffix belongs to a metric of the right type alone.
    private string MetricOf(string name, SortedDictionary<string, string> labels)
    {
        foreach (string suffix in (string[])["_bucket", "_sum", "_count"])
        {
            if (!name.EndsWith(suffix, StringComparison.Ordinal))
                continue;
            string metric = name[..^suffix.Length];
            string type = _typeByMetric.GetValueOrDefault(metric, "");
            if (type == "histogram" || (type == "summary" && suffix != "_bucket"))
            {
                Require((suffix == "_bucket") == labels.ContainsKey("le"), $"le of {name}");
                return metric;
            }
        }

        Require(_typeByMetric.ContainsKey(name), $"{name} has no type");
        Require(_typeByMetric[name] != "histogram", $"{name} is a histogram without a suffix");
        return name;
    }

    private static int ReadLabels(string line, int at, SortedDictionary<string, string> labels)
    {
        while (line[at] != '}')
        {
            int equals = line.IndexOf('=', at);
            string name = line[at..equals];
            Require(LabelName().IsMatch(name) && line[equals + 1] == '"', $"no label: {line}");
            var value = new StringBuilder();
            for (at = equals + 2; line[at] != '"'; at++)
            {
                if (line[at] == '\\')
                {
                    at++;
                    Require(line[at] is '\\' or '"' or 'n', $"an escape that there is not: {line}");
                    value.Append(line[at] == 'n' ? '\n' : line[at]);
                }
                else
                    value.Append(line[at]);
            }

            Require(labels.TryAdd(name, value.ToString()), $"a label twice: {line}");
            at++;
            Require(line[at] is ',' or '}', $"neither a comma nor an end: {line}");
            if (line[at] == ',')
                at++;
        }

        return at + 1;
    }

    // Buckets are counts up to bounds that grow; the last one has all.
    private void CheckHistograms()
    {
        foreach (var (metric, type) in _typeByMetric)
        {
            if (type != "histogram")
                continue;
            var series = _samples.Where(sample => sample.Name == metric + "_bucket").GroupBy(static sample =>
                string.Concat(sample.Labels.Where(static one => one.Key != "le").Select(static one => one.ToString())));
            foreach (var buckets in series)
            {
                double[] bounds = [.. buckets.Select(static one => BoundOf(one.Labels["le"]))];
                double[] counts = [.. buckets.Select(static one => one.Value)];
                Require(bounds.SequenceEqual(bounds.Order()), $"bounds of {metric}");
                Require(counts.SequenceEqual(counts.Order()), $"counts of {metric}");
                Require(double.IsPositiveInfinity(bounds[^1]), $"{metric} has no bucket of all");
                var labels = buckets.First().Labels.Where(static one => one.Key != "le").ToArray();
                double count = _samples.Single(sample => sample.Name == metric + "_count"
                    && labels.All(label => sample.Labels.GetValueOrDefault(label.Key) == label.Value)).Value;
                Require(counts[^1] == count, $"count of {metric}");
            }
        }
    }

    private static double BoundOf(string text) =>
        text == "+Inf" ? double.PositiveInfinity : double.Parse(text, CultureInfo.InvariantCulture);

    private static void Require(bool holds, string problem)
    {
        if (!holds)
            throw new FormatException(problem);
    }

    [GeneratedRegex("^[a-zA-Z_:][a-zA-Z0-9_:]*$")]
    private static partial Regex MetricName();

    [GeneratedRegex("^[a-zA-Z_][a-zA-Z0-9_]*$")]
    private static partial Regex LabelName();
}
