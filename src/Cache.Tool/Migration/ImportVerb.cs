using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Puts an RDB file, or what another server has, into a running server.</summary>
internal static class ImportVerb
{
    private const string FromOption = "--from";
    private const string ToOption = "--to";
    private const string FollowOption = "--follow";
    private const string ReplaceOption = "--replace";
    private const string FlushOption = "--flush";
    private const string ScanOption = "--scan";

    public static Verb Verb { get; } = new(
        "import",
        ["FILE"],
        "Puts a dump.rdb, or what another server has, into a running server; --follow goes on with its changes.",
        [
            "",
            "cache import dump.rdb --to HOST:PORT",
            "cache import --from redis://USER@HOST:PORT --to HOST:PORT --follow",
            "",
            "--to SERVER        who gets it: HOST:PORT, the path of a socket, or redis://[USER:PASSWORD@]HOST[:PORT];",
            "                   rediss:// by TLS",
            "--from SERVER      who has it; redis://HOST:PORT/DB is one of its databases alone",
            "--follow           after the snapshot go on with the source's changes, until Ctrl-C",
            "--replace          entries of the same names are replaced; without it they stay as they are",
            "--flush            the target is emptied before each snapshot",
            "--scan             read the source by SCAN and DUMP, without its changes, though it may give its stream",
            .. ServerHelp(ToOption),
            $"The password of the source is that of redis://, or of the variable {ServerName.SourcePasswordVariable}.",
            "",
            "The source gives its snapshot and its changes as to a replica (PSYNC). If it refuses that, its keys",
            "are read by SCAN and DUMP. A run again with --replace ends with the same entries.",
            "Exit codes: 0 done, 1 the file is damaged, or some were refused, 2 wrong words, or a server is lost.",
        ],
        new Dictionary<string, string?>(
            new Dictionary<string, string?>
            {
                [FromOption] = "SERVER",
                [ToOption] = "SERVER",
                [FollowOption] = null,
                [ReplaceOption] = null,
                [FlushOption] = null,
                [ScanOption] = null,
            }.Concat(ServerName.Options)),
        Run)
    {
        FreeOperands = 1,
    };

    /// <summary>The lines of help for the options of the server that an option names.</summary>
    public static IReadOnlyList<string> ServerHelp(string option) =>
    [
        $"--user, --pass     the user and the password for {option}: ps shows them to other users, so that",
        $"                   the variable {ServerAddress.PasswordVariable} is better",
        $"--tls              {option} by TLS; --cacert FILE    the authority of certificates, in PEM",
        "--cert FILE --key FILE    a certificate of ours and its key, in PEM",
    ];

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        var plan = PlanOf(words);
        using var interrupt = new Interrupt();
        return plan.Source is null
            ? new FileImport(plan, output, time, interrupt.Token).Run(words.Operands[0])
            : new SourceImport(plan, output, time, interrupt.Token).Run();
    }

    private static ImportPlan PlanOf(VerbWords words)
    {
        if (!words.Has(ToOption))
            throw new ToolException($"{ToOption} SERVER is needed: {Verb.Usage}");
        bool hasFile = words.Operands.Count > 0;
        if (hasFile == words.Has(FromOption))
            throw new ToolException($"import needs FILE or {FromOption} SERVER, one of them: {Verb.Usage}");
        foreach (string option in (string[])[FollowOption, ScanOption])
        {
            if (hasFile && words.Has(option))
                throw new ToolException($"{option} is for {FromOption} SERVER; a file has no changes.");
        }

        if (words.Has(FollowOption) && words.Has(ScanOption))
            throw new ToolException($"{ScanOption} reads no changes, and {FollowOption} goes on with them.");
        var target = ServerName.Of(words, ToOption, hasOptions: true);
        if (target.Database is not null)
            throw new ToolException($"{ToOption}: databases keep their numbers; name a server without one.");
        var source = hasFile ? null : ServerName.Of(words, FromOption, hasOptions: false);
        ServerName.CheckTls(words, target, source);
        return new ImportPlan(target, words.Has(ReplaceOption), words.Has(FlushOption))
        {
            Source = source,
            Follows = words.Has(FollowOption),
            Scans = words.Has(ScanOption),
        };
    }
}
