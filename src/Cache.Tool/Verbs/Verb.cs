namespace Cache.Tool.Verbs;

/// <summary>A verb: what it needs, and how it is run.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Operands">The names of its operands; all must be given.</param>
/// <param name="Summary">What it does, in a sentence.</param>
/// <param name="Help">The lines of its help.</param>
/// <param name="Options">The names of its options, and of the value of each; null: it has none.</param>
/// <param name="Run">Runs it.</param>
internal sealed record Verb(
    string Name,
    IReadOnlyList<string> Operands,
    string Summary,
    IReadOnlyList<string> Help,
    IReadOnlyDictionary<string, string?> Options,
    Func<VerbWords, Report, TimeProvider, ExitCode> Run)
{
    // As in redis-cli.
    private static readonly Dictionary<string, string> s_short = new()
    {
        ["-h"] = "--host",
        ["-p"] = "--port",
        ["-s"] = "--socket",
        ["-a"] = "--pass",
    };

    // Told by the help of each verb that has them.
    private static readonly HashSet<string> s_elsewhere =
        ["--socket", "--user", "--pass", "--tls", "--cacert", "--cert"];

    /// <summary>The exit code for wrong words, and for what cannot be read.</summary>
    public ExitCode Failure { get; init; } = ExitCode.Failed;

    /// <summary>How many of its last operands need not be given.</summary>
    public int FreeOperands { get; init; }

    /// <summary>Gets all words as they are; the verb is a program of its own.</summary>
    public Func<string[], ExitCode>? RunWhole { get; init; }

    /// <summary>Its words in a line; of the options that name a server the first two.</summary>
    public string Usage =>
        $"cache {Name}" + string.Concat(Operands.Select(ShownOperand)) + string.Concat(
            Options.Where(option => !IsElsewhere(option.Key)).Select(
                static option => option.Value is { } value ? $" [{option.Key} {value}]" : $" [{option.Key}]"));

    /// <summary>The long name of an option, if this verb has it.</summary>
    public string NameOf(string option) =>
        s_short.TryGetValue(option, out string? name) && Options.ContainsKey(name) ? name : option;

    // inspect has a --key too, of a store.
    private bool IsElsewhere(string option) =>
        s_elsewhere.Contains(option) || (option == "--key" && Options.ContainsKey("--cert"));

    private string ShownOperand(string operand, int index) =>
        index < Operands.Count - FreeOperands ? $" {operand}" : $" [{operand}]";
}
