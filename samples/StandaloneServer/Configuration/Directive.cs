namespace StandaloneServer.Configuration;

/// <summary>One thing that can be configured, by whatever source.</summary>
/// <param name="Name">The name, which is Redis's.</param>
/// <param name="Parameter">What the help shows for its value.</param>
/// <param name="Default">What holds if no source sets it, as text.</param>
/// <param name="Summary">What it is, in a sentence.</param>
/// <param name="ApplyCore">Checks the values and sets the option.</param>
internal sealed record Directive(
    string Name, string Parameter, string Default, string Summary, Action<Setting, ServerSettings> ApplyCore)
{
    // More addresses, or rules of one user, than anybody writes.
    private const int ManyValues = 1024;

    /// <summary>Whether it takes several values.</summary>
    public bool IsList { get; init; }

    /// <summary>Whether it may stand many times, each one more of its kind; of others the last one counts.</summary>
    public bool IsRepeated { get; init; }

    /// <summary>Whether Redis has it, and it can mean nothing here: it is taken, and the operator told.</summary>
    public bool HasNoMeaning { get; init; }

    /// <summary>The option that it sets, of the store or of the server; null for what is this program's own.</summary>
    public string? Option { get; init; }

    /// <exception cref="SettingException">The values are not what the directive takes.</exception>
    public void Apply(Setting setting, ServerSettings settings)
    {
        if (setting.Values.Count == 0)
            throw new SettingException($"{setting.Label} needs a value: {Parameter}.");
        if (setting.Values.Count > (IsList ? ManyValues : 1))
            throw setting.Wrong(IsList ? $"at most {ManyValues} values" : RuleOfOne(setting));
        ApplyCore(setting, settings);
    }

    private static string RuleOfOne(Setting setting) => setting.Values.Any(static value => value.StartsWith('#'))
        ? "one value; a comment has a line of its own"
        : "one value; quote it if it has spaces";
}
