using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Tool.Verbs;

namespace Cache.Tool.Configuration;

/// <summary>Says what the server would say of a configuration file, without starting it.</summary>
internal static class ConfigVerb
{
    private const string StartOption = "--start";

    public static Verb Verb { get; } = new(
        "config",
        ["check", "FILE"],
        "Checks a file in the form of redis.conf: names, values, ranges, and what excludes each other.",
        [
            "",
            "--start   also what would keep a server of this machine from starting: files, folders, addresses in use",
            "",
            "An overrides.conf beside it, or in the folder of its dir, is looked at too: a server takes it.",
            "Errors have file and line; of an unknown name the nearest one is told. What has no effect here is listed.",
            "Exit codes: 0 a server takes it, 1 it refuses it, 2 the file cannot be read.",
        ],
        new Dictionary<string, string?> { [StartOption] = null },
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        if (words.Operands[0] != "check")
            throw new ToolException($"'{words.Operands[0]}' is not known: {Verb.Usage}");
        string path = words.Operands[1];
        if (!File.Exists(path))
            throw new ToolException(Directory.Exists(path) ? $"{path} is a directory." : $"{path} does not exist.");
        using (File.OpenRead(path))
        {
            // It can be read; what is wrong from here on is in it.
        }

        var problems = new List<string>();
        List<Setting> given = [.. ConfigFile.Read(path, problems)];
        int inFile = given.Count;
        OverridesFile.AddTo(path, given, problems);
        var settings = new ProgramSettings(new CacheOptions(), new RespServerOptions());
        settings.Apply(given, problems);
        if (words.Has(StartOption))
            AddStartProblems(settings, problems);
        foreach (string problem in problems)
            output.Line(problem);
        foreach (var (name, reason) in settings.WithoutEffect)
            output.Line(reason is null ? $"{name} has no effect here" : $"{name} has no effect here: {reason}");
        foreach (string file in given.Skip(inFile).Select(static one => one.Origin.Split(", line ")[0]).Distinct())
            output.Line($"{file} wins over it");
        output.Line(problems.Count == 0
            ? $"{path}: {given.Count} settings, all of which a server takes"
            : $"{path}: {problems.Count} errors; a server would refuse it");
        return problems.Count == 0 ? ExitCode.Whole : ExitCode.Damaged;
    }

    // Of options that are wrong nothing more can be said.
    private static void AddStartProblems(ProgramSettings settings, List<string> problems)
    {
        if (settings.FindFolderProblem() is { } missing)
            problems.Add(missing);
        if (problems.Count == 0)
            problems.AddRange(settings.FindStartProblems());
    }
}
