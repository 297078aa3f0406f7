using System.Globalization;
using Cache.Server.Settings;
using Microsoft.Extensions.Configuration;

namespace Cache.Hosting.Configuration;

/// <summary>The section "Cache" of a JSON file: its properties are directives, with or without hyphens.</summary>
internal static class JsonSettings
{
    public const string SectionName = "Cache";

    // Wrong letters in the section's name; another section may be called Caching.
    private const int MistakesMax = 1;

    /// <param name="configuration">The content of the file.</param>
    /// <param name="fileName">The file's name.</param>
    /// <param name="problems">Receives the properties that are not directives, or do not contain values.</param>
    /// <param name="isNamed">
    /// Whether the file was named for this program: one that was found may belong to another program too.
    /// </param>
    public static IEnumerable<Setting> Read(
        IConfiguration configuration, string fileName, List<string> problems, bool isNamed = false)
    {
        FindSectionProblems(configuration, fileName, isNamed, problems);
        foreach (var entry in configuration.GetSection(SectionName).GetChildren())
        {
            string label = $"{fileName}, {entry.Path}";
            if (DirectiveNames.FindLoosely(entry.Key) is not { } directive)
            {
                problems.Add(DirectiveNames.Unknown(label, entry.Key));
                continue;
            }

            foreach (string[] values in ReadValues(directive, entry, label, problems))
                yield return new Setting(directive.Name, values, fileName) { Label = label };
        }
    }

    /// <summary>Splits a text into the values that it contains.</summary>
    /// <returns>Null if it cannot be split.</returns>
    public static string[]? SplitList(Directive directive, string text, string label, List<string> problems)
    {
        if (!directive.Kind.IsList || text.Length == 0)
            return [text];
        if (ArgumentSplitter.Split(text) is { } words)
            return [.. words];
        problems.Add($"{label}: a quote is not closed, or not followed by a space.");
        return null;
    }

    // A misspelt section would be ignored silently.
    private static void FindSectionProblems(
        IConfiguration configuration, string fileName, bool isNamed, List<string> problems)
    {
        if (configuration.GetSection(SectionName).Value is { } text)
        {
            problems.Add(
                $"{fileName}, {SectionName} is '{text}'; it must be an object, such as {{ \"port\": 6379 }}.");
        }

        if (configuration.GetSection(SectionName).Exists())
            return;
        foreach (var section in configuration.GetChildren())
        {
            if (isNamed && section.Value is not null && DirectiveNames.FindLoosely(section.Key) is not null)
            {
                problems.Add(
                    $"{fileName}: '{section.Key}' stands outside the section '{SectionName}' and would not be read; "
                    + $"write {{ \"{SectionName}\": {{ \"{section.Key}\": … }} }}.");
            }

            string name = section.Key.ToUpperInvariant();
            // An empty section does not exist.
            if (NearestName.Distance(name, SectionName.ToUpperInvariant()) is > 0 and <= MistakesMax)
                problems.Add($"{fileName}: there is no section '{section.Key}'; did you mean '{SectionName}'?");
        }
    }

    // JSON has its own words for yes and no.
    private static string TextOf(Directive directive, IConfigurationSection item) => item.Value switch
    {
        "True" when directive.Kind.TakesYesOrNo => "yes",
        "False" when directive.Kind.TakesYesOrNo => "no",
        var text => text ?? "",
    };

    // A list has the values of one setting, or, for a directive that may occur many times, a line for each item.
    private static IEnumerable<string[]> ReadValues(
        Directive directive, IConfigurationSection entry, string label, List<string> problems)
    {
        List<IConfigurationSection> items = [.. entry.GetChildren()];
        bool isList = items.Count > 0 && items.TrueForAll(IsItem);
        if (items.Count > 0 && !isList)
        {
            string rule = directive.Kind.IsList ? "a value or a list of them" : "a value";
            problems.Add($"{label} is an object; it must be {rule}: {directive.Kind.Missing}.");
        }
        else if (isList && !directive.IsRepeated)
        {
            yield return [.. items.ConvertAll(static item => item.Value ?? "")];
        }
        else
        {
            List<string> texts = [.. (isList ? items : [entry]).ConvertAll(item => TextOf(directive, item))];
            foreach (string text in texts)
            {
                if (SplitList(directive, text, label, problems) is { } values)
                    yield return values;
            }
        }
    }

    // The items of a list, whose keys are its indexes; an item must not be a section.
    private static bool IsItem(IConfigurationSection item) =>
        int.TryParse(item.Key, NumberStyles.None, CultureInfo.InvariantCulture, out _) && !item.GetChildren().Any();
}
