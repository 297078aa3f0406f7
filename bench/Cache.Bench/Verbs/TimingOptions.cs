using System.CommandLine;
using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>The options that the verbs which time operations share.</summary>
internal static class TimingOptions
{
    public static readonly Option<string> Threads = new("--threads")
    {
        Description = "Numbers of threads, for example 1,2",
        DefaultValueFactory = static _ => "1,2",
    };

    public static readonly Option<int> Rounds = new("--rounds")
    {
        Description = "Samples of each figure; the median is printed.",
        DefaultValueFactory = static _ => 31,
    };

    static TimingOptions()
    {
        Rounds.RequireAtLeast(1);
        Threads.Validators.Add(static result =>
        {
            var counts = SubjectOptions.Split(result.GetValue(Threads));
            if (counts.Length == 0 || counts.Any(static n => !int.TryParse(n, out int count) || count < 1))
                result.AddError("--threads must be a list of numbers, each at least 1.");
        });
    }

    public static int[] ThreadCounts(this ParseResult arguments) =>
        [.. SubjectOptions.Split(arguments.GetValue(Threads)).Select(int.Parse)];
}
