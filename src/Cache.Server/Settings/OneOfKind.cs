namespace Cache.Server.Settings;

/// <summary>One of some names, in any case of letters.</summary>
/// <param name="names">The names in the order in which Redis lists them.</param>
internal sealed class OneOfKind(params string[] names) : ValueKind
{
    /// <summary>A switch, for which Redis has its own error text.</summary>
    public static OneOfKind YesNo { get; } = new("yes", "no");

    public IReadOnlyList<string> Names => names;

    /// <summary>A name that is accepted, and the older one that is shown for it; null: none.</summary>
    public (string Name, string Shown)? Synonym { get; init; }

    public override bool IsHarmless => true;

    public override string Parameter => string.Join('|', names);

    public override string Rule => $"one of {string.Join(", ", names)}";

    public override bool TakesYesOrNo => Array.IndexOf(names, "yes") >= 0;

    public override string? FindProblem(string text)
    {
        if (IndexOf(text) >= 0)
            return null;
        return this == YesNo
            ? "argument must be 'yes' or 'no'"
            : "argument(s) must be one of the following: " + string.Join(", ", names);
    }

    public override string ToCanonical(string text) =>
        names[IndexOf(text)] is var name && Synonym is { } synonym && synonym.Name == name ? synonym.Shown : name;

    private int IndexOf(string text) =>
        Array.FindIndex(names, name => name.Equals(text, StringComparison.OrdinalIgnoreCase));
}
