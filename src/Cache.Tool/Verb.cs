namespace Cache.Tool;

/// <summary>A verb: what it needs, and how it is run.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Operands">The names of its operands; all must be given.</param>
/// <param name="Summary">What it does, in a sentence.</param>
/// <param name="Help">The lines of its help.</param>
/// <param name="Options">The names of its options, and whether each has a value.</param>
/// <param name="Run">Runs it.</param>
internal sealed record Verb(
    string Name,
    IReadOnlyList<string> Operands,
    string Summary,
    IReadOnlyList<string> Help,
    IReadOnlyDictionary<string, bool> Options,
    Func<VerbWords, Report, TimeProvider, ExitCode> Run)
{
    public string Usage =>
        $"cache {Name} {string.Join(' ', Operands)}" + string.Concat(Options.Select(
            static option => option.Value ? $" [{option.Key} {ValueOf(option.Key)}]" : $" [{option.Key}]"));

    private static string ValueOf(string option) => option switch
    {
        "--key" => "KEY",
        "--maxmemory" => "SIZE",
        _ => "N",
    };
}
