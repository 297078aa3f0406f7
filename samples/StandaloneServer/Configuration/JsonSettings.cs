using Microsoft.Extensions.Configuration;

namespace StandaloneServer.Configuration;

/// <summary>The section "Cache" of a JSON file: its properties are directives, with or without hyphens.</summary>
internal static class JsonSettings
{
    public const string SectionName = "Cache";

    /// <exception cref="SettingException">A property is no directive.</exception>
    public static IEnumerable<Setting> Read(IConfiguration configuration, string fileName)
    {
        foreach (var entry in configuration.GetSection(SectionName).GetChildren())
        {
            string origin = $"{fileName}, {entry.Path}";
            var directive = DirectiveTable.FindLoosely(entry.Key) ?? throw DirectiveTable.Unknown(origin, entry.Key);
            string[] values = entry.Value is { } text
                ? SplitList(directive, text, origin)
                : [.. entry.GetChildren().Select(static item => item.Value ?? "")];
            yield return new Setting(directive.Name, values, origin);
        }
    }

    /// <summary>The values of a text that stands for all of them.</summary>
    public static string[] SplitList(Directive directive, string text, string origin)
    {
        if (!directive.IsList || text.Length == 0)
            return [text];
        return ArgumentSplitter.Split(text)?.ToArray()
            ?? throw new SettingException($"{origin}: a quote is not closed, or not followed by a space.");
    }
}
