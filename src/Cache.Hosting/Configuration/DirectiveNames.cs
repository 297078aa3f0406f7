using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>Finds directives by names as people write them.</summary>
internal static class DirectiveNames
{
    /// <summary>The directive of a name, for sources whose names have no hyphens.</summary>
    /// <returns>Null if there is none.</returns>
    public static Directive? FindLoosely(string name)
    {
        string bare = WithoutHyphens(name);
        return DirectiveTable.All.FirstOrDefault(
            directive => WithoutHyphens(directive.Name).Equals(bare, StringComparison.OrdinalIgnoreCase));
    }

    /// <summary>
    /// The directive that is meant: the one whose option in code has the name, or whose own name is nearest.
    /// </summary>
    public static string? FindNearest(string name)
    {
        var all = DirectiveTable.Meaningful;
        return all.FirstOrDefault(one => name.Equals(one.Option, StringComparison.OrdinalIgnoreCase))?.Name
            ?? NearestName.Find(name, all.Select(static directive => directive.Name));
    }

    /// <summary>The error for an unknown directive, which suggests the nearest.</summary>
    public static string Unknown(string label, string name, string prefix = "")
    {
        // As in other programs' files: port=6379.
        string[] parts = name.Split('=', 2);
        string hint = parts.Length > 1 && DirectiveTable.Find(parts[0]) is { } directive
            ? $"did you mean '{prefix}{directive.Name} {parts[1]}'?"
            : FindNearest(name) is { } nearest
                ? $"did you mean '{prefix}{nearest}'?"
                : "--help lists all directives.";
        return $"{label}: there is no directive '{prefix}{name}'; {hint}";
    }

    private static string WithoutHyphens(string name) =>
        name.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);
}
