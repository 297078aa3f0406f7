namespace Cache.Server.Settings;

/// <summary>A directive: one setting, whatever its source.</summary>
/// <param name="Name">The name in lower case; Redis's name if Redis has the directive.</param>
/// <param name="Kind">The values that it accepts.</param>
/// <param name="Default">The value if no source sets it, in canonical form.</param>
/// <param name="Meaning">Its meaning, in a sentence; empty: it has no effect here, it is only kept.</param>
internal sealed record Directive(string Name, ValueKind Kind, string Default, string Meaning)
{
    /// <summary>Whether CONFIG SET can change it while the server runs.</summary>
    public bool IsChangeable { get; init; }

    /// <summary>Whether CONFIG SET can change it only if enable-protected-configs allows that.</summary>
    public bool IsProtected { get; init; }

    /// <summary>
    /// Whether it may occur many times, each adding one of its kind; then it is not a parameter of CONFIG.
    /// </summary>
    public bool IsRepeated { get; init; }

    /// <summary>
    /// Whether a source's value reaches the server among the kept parameters; then it has no option.
    /// </summary>
    public bool IsKept { get => field || !HasMeaning; init; }

    /// <summary>
    /// Combines a further line with the value so far; null: the last line counts.
    /// </summary>
    public Func<string, string, string>? Merge { get; init; }

    /// <summary>The default as pages and help show it, if it depends on the machine or is empty.</summary>
    public string? DefaultName { get; init; }

    /// <summary>The option of the store or of the server that it sets; null: none.</summary>
    public string? Option { get; init; }

    /// <summary>The main name, under which it is kept, if this is another name of it; null: it has one name.</summary>
    public string? AliasOf { get; init; }

    /// <summary>Why other values than the default have no effect, for the warning at the start.</summary>
    public string? WithoutEffect { get; init; }

    /// <summary>Reads the present value in canonical form; null: as it was kept.</summary>
    public Func<ServerSettings, string>? Read { get; init; }

    /// <summary>Makes a canonical value the present one; null: it is kept.</summary>
    public Action<ServerSettings, string>? Write { get; init; }

    /// <summary>Whether it has an effect here.</summary>
    public bool HasMeaning => Meaning.Length > 0;

    /// <summary>Whether CONFIG knows it; Redis accepts some only in a file.</summary>
    public bool IsParameter { get => field && !IsRepeated; init; } = true;

    /// <summary>The default as help shows it.</summary>
    public string ShownDefault => DefaultName ?? (Default.Length == 0 ? "none" : Kind.ToLine(Default).Trim('"'));

    /// <summary>The value of a file's lines in canonical form; the default if there are none.</summary>
    /// <param name="given">Their texts, all valid.</param>
    public string ValueOf(IReadOnlyList<string> given)
    {
        string value = Default;
        foreach (string text in given)
            value = Merge is { } merge ? merge(value, text) : Kind.ToCanonical(text);
        return value;
    }

    /// <summary>The present value in canonical form.</summary>
    public string ReadFrom(ServerSettings settings) =>
        Read is { } read ? read(settings) : settings.Kept.GetValueOrDefault(AliasOf ?? Name, Default);

    /// <summary>Makes a canonical value the present one.</summary>
    public void WriteTo(ServerSettings settings, string canonical)
    {
        if (Write is { } write)
            write(settings, canonical);
        else
            settings.Kept[AliasOf ?? Name] = canonical;
    }
}
