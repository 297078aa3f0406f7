using System.Text.Json;
using Cache.Server.Doctor;
using Cache.Server.Package;
using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>What the doctor's rules find in the figures of a package.</summary>
/// <param name="Package">The package.</param>
/// <param name="Present">What is wrong, the worst first.</param>
/// <param name="Earlier">What was wrong in one of the minutes before and no longer is, the worst first.</param>
internal sealed record PackageAnalysis(
    PackageContent Package, IReadOnlyList<JudgedFinding> Present, IReadOnlyList<JudgedFinding> Earlier)
{
    private const int WindowSeconds = 60;

    // A server keeps ten minutes by seconds.
    private const int WindowsMax = 10;

    public bool IsCritical => Present is [{ Finding.Severity: Severity.Critical }, ..];

    /// <exception cref="ToolException">The package cannot be used.</exception>
    public static PackageAnalysis Of(string path)
    {
        var package = PackageReader.Read(path);
        var figures = Parse(path, package, PackageFormat.FiguresName, ReadFigures);
        var history = Parse(path, package, PackageFormat.SecondsName, History.Parse);
        var present = DoctorRules.Find(figures).ConvertAll(
            finding => new JudgedFinding(finding, Evidence.Of(finding.Rule, history)));
        return new PackageAnalysis(package, present, FindEarlier(figures, history, present));
    }

    // The rules take any figures of a server, and no others.
    private static DoctorFigures ReadFigures(byte[] bytes)
    {
        using (var document = JsonDocument.Parse(bytes))
        {
            if (document.RootElement.ValueKind != JsonValueKind.Object)
                throw new FormatException("it is no object");
            foreach (var figure in document.RootElement.EnumerateObject())
            {
                if (!IsFigure(figure.Value) && !(figure.Value.ValueKind == JsonValueKind.Null && MayLack(figure.Name)))
                    throw new FormatException($"{figure.Name} is no figure of a server");
            }
        }

        return JsonSerializer.Deserialize(bytes, FigureJson.Default.DoctorFigures)
            ?? throw new FormatException("it has no figures");
    }

    private static bool MayLack(string name) =>
        name is nameof(DoctorFigures.HitRatio) or nameof(DoctorFigures.FilesProblem);

    private static bool IsFigure(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Number => value.TryGetDouble(out double number) && Math.Abs(number) < History.ValueMax,
        JsonValueKind.String or JsonValueKind.True or JsonValueKind.False => true,
        _ => false,
    };

    // The rules over the rates of each minute that has passed; what is no rate is as it is now. The last minute of a
    // finding is told of.
    private static List<JudgedFinding> FindEarlier(
        DoctorFigures figures, History history, List<JudgedFinding> present)
    {
        var known = present.ConvertAll(static one => one.Finding.Rule).ToHashSet(StringComparer.Ordinal);
        var found = new List<JudgedFinding>();
        if (!history.HasSamples)
            return found;
        var (first, last) = history.Range;
        for (int i = 1; i <= WindowsMax && last + 1 - (i * WindowSeconds) > first; i++)
        {
            long end = last + 1 - (i * WindowSeconds);
            var then = DoctorReading.WithRates(
                figures, series => history.Mean(series, end - WindowSeconds, end));
            foreach (var finding in DoctorRules.Find(then))
            {
                if (known.Add(finding.Rule))
                    found.Add(new JudgedFinding(finding, Evidence.Of(finding.Rule, history), end));
            }
        }

        return [.. found.OrderByDescending(static one => one.Finding.Severity)];
    }

    private static T Parse<T>(string path, PackageContent package, string part, Func<byte[], T> parse)
    {
        try
        {
            return parse(package.Parts[part]);
        }
        catch (Exception failure) when (failure is JsonException or FormatException or OverflowException)
        {
            throw PackageReader.Wrong(path, $"{part} is not as a server writes it ({failure.Message.TrimEnd('.')})");
        }
    }
}
