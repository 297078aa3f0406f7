using Cache.Durability.Catalog;
using Cache.Durability.Rdb;
using Cache.Durability.Recovery;
using Cache.Tool.Analysis;
using Cache.Tool.Cluster;
using Cache.Tool.Configuration;
using Cache.Tool.Live;
using Cache.Tool.Migration;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>The command: finds its verb, runs it, and tells of errors in one line.</summary>
internal static class CacheTool
{
    private static readonly Verb[] s_verbs =
    [
        ServerVerb.Verb, TopVerb.Verb, DoctorVerb.Verb, KeysVerb.Verb, BenchVerb.Verb, ConfigVerb.Verb,
        PackageVerb.Verb, ClusterVerb.Verb, AnalyzeVerb.Verb, VerifyVerb.Verb, InspectVerb.Verb, ConvertVerb.Verb,
        ImportVerb.Verb, ExportVerb.Verb,
    ];

    /// <returns>The exit code.</returns>
    public static int Run(IReadOnlyList<string> words, Report output, Report errors, TimeProvider time)
    {
        var named = s_verbs.FirstOrDefault(one => words.Count > 0 && one.Name == words[0]);
        var failed = named?.Failure ?? ExitCode.Failed;
        try
        {
            return (int)Run(words, output, time);
        }
        catch (ToolException failure)
        {
            errors.Line(failure.Message);
            return (int)(failure.Code == ExitCode.Failed ? failed : failure.Code);
        }
        catch (Exception failure) when (failure is RecoveryRefusedException or RefusedDirectoryException)
        {
            errors.Line(failure.Message);
            return (int)ExitCode.Damaged;
        }
        catch (RdbFormatException failure)
        {
            errors.Line(failure.Message);
            return (int)ExitCode.Damaged;
        }
        catch (InvalidDataException failure)
        {
            errors.Line(failure.Message);
            return (int)failed;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or OutOfMemoryException)
        {
            errors.Line(failure.Message);
            return (int)failed;
        }
#pragma warning disable CA1031 // A defect; its user needs a line to report, not a dump of the process.
        catch (Exception failure) when (named?.RunWhole is null)
#pragma warning restore CA1031
        {
            errors.Line($"This is a defect of cache, please report it: {failure}");
            return (int)failed;
        }
    }

    private static ExitCode Run(IReadOnlyList<string> words, Report output, TimeProvider time)
    {
        if (words.Count == 0)
            throw new ToolException($"A verb is needed: {VerbNames}. See cache --help.");
        if (words[0] is "--help" or "-h" or "help")
            return Help(output);
        if (words[0] == "--version")
        {
            output.Line($"cache {typeof(CacheTool).Assembly.GetName().Version?.ToString(3)}");
            return ExitCode.Whole;
        }

        var verb = s_verbs.FirstOrDefault(one => one.Name == words[0])
            ?? throw new ToolException($"'{words[0]}' is no verb: {VerbNames}. See cache --help.");
        string[] others = [.. words.Skip(1)];
        if (verb.RunWhole is { } whole)
            return whole(others);
        if (!others.TakeWhile(static word => word != "--").Any(word => AsksForHelp(verb, word)))
            return verb.Run(VerbWords.Parse(verb, others), output, time);
        output.Line(verb.Usage);
        output.Line();
        output.Line(verb.Summary);
        foreach (string line in verb.Help)
            output.Line(line);
        return ExitCode.Whole;
    }

    // -h is a host where there is one.
    private static bool AsksForHelp(Verb verb, string word) => word == "--help" || verb.NameOf(word) == "-h";

    private static ExitCode Help(Report output)
    {
        output.Line("Looks at servers and at the files of a store. No server may run on the files meanwhile.");
        output.Line();
        foreach (var verb in s_verbs)
        {
            output.Line(verb.Usage);
            output.Line($"    {verb.Summary}");
        }

        output.Line();
        output.Line("Exit codes: 0 well, 1 damaged, 2 wrong words, or something cannot be read or written.");
        output.Line("cache VERB --help tells more.");
        return ExitCode.Whole;
    }

    private static string VerbNames => string.Join(", ", s_verbs.Select(static verb => verb.Name));
}
