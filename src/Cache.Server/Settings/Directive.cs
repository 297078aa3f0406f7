namespace Cache.Server.Settings;

/// <summary>One thing that can be configured, by whatever source.</summary>
/// <param name="Name">The name in lower case, which is Redis's where Redis has it.</param>
/// <param name="Kind">What values it takes.</param>
/// <param name="Default">What holds if no source sets it, in canonical form.</param>
/// <param name="Meaning">What it is, in a sentence; empty: nothing here, it is only kept.</param>
internal sealed record Directive(string Name, ValueKind Kind, string Default, string Meaning)
{
    /// <summary>Whether CONFIG SET takes it while the server runs.</summary>
    public bool IsChangeable { get; init; }

    /// <summary>Whether CONFIG SET takes it only where enable-protected-configs allows that.</summary>
    public bool IsProtected { get; init; }

    /// <summary>
    /// Whether it may stand many times, each one more of its kind; then it is no parameter of CONFIG.
    /// </summary>
    public bool IsRepeated { get; init; }

    /// <summary>
    /// What a further line adds to the value so far, where the last line is not all that counts; null: it is.
    /// </summary>
    public Func<string, string, string>? Merge { get; init; }

    /// <summary>What pages and help show as the default, where it depends on the machine or is empty.</summary>
    public string? DefaultName { get; init; }

    /// <summary>The option of the store or of the server that it sets; null: none.</summary>
    public string? Option { get; init; }

    /// <summary>The other name of the same thing under which it is kept; null: it has one name.</summary>
    public string? AliasOf { get; init; }

    /// <summary>Why any other value than the default has no effect, for the warning at the start.</summary>
    public string? WithoutEffect { get; init; }

    /// <summary>The present value in canonical form; null: as it was kept.</summary>
    public Func<ServerSettings, string>? Read { get; init; }

    /// <summary>Makes a canonical value the present one; null: it is kept.</summary>
    public Action<ServerSettings, string>? Write { get; init; }

    /// <summary>Whether it does anything here.</summary>
    public bool HasMeaning => Meaning.Length > 0;

    /// <summary>Whether CONFIG knows it; Redis takes some in a file alone.</summary>
    public bool IsParameter { get => field && !IsRepeated; init; } = true;

    /// <summary>What help shows as the default.</summary>
    public string ShownDefault => DefaultName ?? (Default.Length == 0 ? "none" : Kind.ToLine(Default).Trim('"'));

    /// <summary>What the lines of a file come to in canonical form; of none the default.</summary>
    /// <param name="given">Their texts, free of problems.</param>
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
