using System.CommandLine;
using System.Text.Json;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>Reads what runs of <see cref="ServerVerb"/> wrote as JSON and prints the medians with ratios.</summary>
internal static class CompareVerb
{
    private static readonly Argument<FileInfo> _file = new("file") { Description = "A report in JSON on every line." };
    private static readonly Option<string[]> _baselines = new("--baseline")
    {
        Description = "A server whose CPU time the others' is divided by; may be given several times.",
        DefaultValueFactory = static _ => [],
    };

    public static Command Create()
    {
        _file.AcceptExistingOnly();
        var verb = new Command("compare", "Prints one table of the medians of many runs against several servers.")
        {
            _file, _baselines,
        };
        verb.SetAction(static arguments => Run(arguments.GetValue(_file)!, arguments.GetValue(_baselines)!));
        return verb;
    }

    private static int Run(FileInfo file, string[] baselines)
    {
        LoadReport[] reports =
        [
            .. from line in File.ReadLines(file.FullName)
               where line.Length > 0
               select JsonSerializer.Deserialize<LoadReport>(line)
        ];
        var comparison = new Comparison(reports, baselines);
        comparison.PrintLoads();
        comparison.PrintMemory();
        return 0;
    }
}
