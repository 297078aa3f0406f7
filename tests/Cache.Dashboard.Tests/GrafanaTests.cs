using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Cache.Testing;

namespace Cache.Dashboard.Tests;

/// <summary>Each query of docs/grafana/cache.json against what /metrics has.</summary>
public sealed partial class GrafanaTests
{
    // Given by the collector, not by us.
    private static readonly string[] _labelsOfCollector = ["instance", "job"];

    public static TheoryData<string> Queries => [.. ReadQueries(Read().RootElement).Distinct()];

    [Theory]
    [MemberData(nameof(Queries))]
    public async Task Query_AsksForWhatThereIs(string query)
    {
        var metrics = await ReadMetricsAsync();
        var selectors = Selector().Matches(query).Where(one => IsMetric(one.Groups["metric"].Value)).ToList();

        Assert.NotEmpty(selectors);
        Assert.All(selectors, selector => AssertPresent(metrics, selector));
        string[] labels = [.. metrics.Samples.SelectMany(static sample => sample.Labels.Keys).Distinct()];
        Assert.All(
            Grouping().Matches(query).SelectMany(static one => one.Groups["labels"].Value.Split(',')),
            label => Assert.Contains(label.Trim(), labels));
    }

    [Fact]
    public void Panels_HaveTitlesAndPlacesOfTheirOwn()
    {
        using var dashboard = Read();
        var panels = dashboard.RootElement.GetProperty("panels").EnumerateArray().ToList();

        Assert.Equal(panels.Count, panels.Select(static one => one.GetProperty("id").GetInt32()).Distinct().Count());
        Assert.Equal(
            panels.Count,
            panels.Select(static one => one.GetProperty("gridPos")).Select(static at =>
                (at.GetProperty("x").GetInt32(), at.GetProperty("y").GetInt32())).Distinct().Count());
        Assert.All(panels, static one => Assert.NotEmpty(one.GetProperty("title").GetString()!));
    }

    private static void AssertPresent(PrometheusText metrics, Match selector)
    {
        string name = selector.Groups["metric"].Value;
        var samples = metrics.Samples.Where(sample => sample.Name == name).ToList();
        Assert.True(samples.Count > 0, $"there is no {name}");
        foreach (Match matcher in Matcher().Matches(selector.Groups["labels"].Value))
        {
            string label = matcher.Groups["label"].Value;
            if (_labelsOfCollector.Contains(label))
                continue;
            bool isPattern = matcher.Groups["operator"].Value == "=~";
            string value = matcher.Groups["value"].Value;
            Assert.Contains(samples, sample => sample.Labels.TryGetValue(label, out string? actual)
                && (isPattern ? Regex.IsMatch(actual, $"^(?:{value})$") : actual == value));
        }
    }

    private static bool IsMetric(string word) =>
        word.StartsWith("redis_", StringComparison.Ordinal) || word.StartsWith("cache_", StringComparison.Ordinal);

    private static async Task<PrometheusText> ReadMetricsAsync()
    {
        await using var application = await DashboardApplication.StartAsync();
        var client = application.Server.Connect();
        client.Send("SET one 1\r\nGET one\r\nGET none\r\nINCRBY one x\r\n");
        var (_, body, _) = await application.SendAsync("/metrics");
        return PrometheusText.Parse(Encoding.UTF8.GetBytes(body));
    }

    private static IEnumerable<string> ReadQueries(JsonElement element)
    {
        if (element.ValueKind == JsonValueKind.Array)
        {
            foreach (string query in element.EnumerateArray().SelectMany(ReadQueries))
                yield return query;
        }
        else if (element.ValueKind == JsonValueKind.Object)
        {
            foreach (var property in element.EnumerateObject())
            {
                bool isQuery = property.Name is "expr" or "definition";
                foreach (string query in isQuery ? [property.Value.GetString()!] : ReadQueries(property.Value))
                    yield return query;
            }
        }
    }

    // Upwards from these binaries: a build for others knows no path of the sources.
    private static JsonDocument Read()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "Cache.sln")))
        {
            folder = folder.Parent
                ?? throw new InvalidOperationException($"No Cache.sln above {AppContext.BaseDirectory}.");
        }

        return JsonDocument.Parse(File.ReadAllText(Path.Combine(folder.FullName, "docs/grafana/cache.json")));
    }

    [GeneratedRegex(@"(?<metric>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?<labels>[^}]*)\})?")]
    private static partial Regex Selector();

    [GeneratedRegex(@"(?<label>\w+)(?<operator>=~|=)""(?<value>[^""]*)""")]
    private static partial Regex Matcher();

    [GeneratedRegex(@"\bby \((?<labels>[^)]*)\)")]
    private static partial Regex Grouping();
}
