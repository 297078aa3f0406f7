using System.Collections;
using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>Environment variables: CACHE_ and the directive's name, with _ for its hyphens.</summary>
internal static class EnvironmentSettings
{
    public const string Prefix = "CACHE_";

    // Of so many letters one may be wrong; other programs have variables with this prefix too.
    private const int LettersPerMistake = 3;

    /// <remarks>
    /// A variable whose name is like no directive's is somebody else's and left alone; one whose name is nearly a
    /// directive's is misspelt.
    /// </remarks>
    /// <param name="variables">All variables.</param>
    /// <param name="problems">Gets the names that are misspelt.</param>
    public static IEnumerable<Setting> Read(IDictionary variables, List<string> problems)
    {
        foreach (DictionaryEntry variable in variables)
        {
            string key = (string)variable.Key;
            if (!key.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase))
                continue;
            string name = key[Prefix.Length..].Replace('_', '-');
            string origin = $"environment variable {key}";
            string text = variable.Value as string ?? "";
            if (DirectiveNames.FindLoosely(name) is { } directive)
            {
                if (IsOfKubernetes(directive, text))
                    yield return new Setting(directive.Name, [text], origin) { Label = origin, IsForeign = true };
                else if (JsonSettings.SplitList(directive, text, origin, problems) is { } values)
                    yield return new Setting(directive.Name, values, origin) { Label = origin };
            }
            else if (DirectiveNames.FindNearest(name) is { } nearest && IsMisspelt(name, nearest))
            {
                problems.Add(DirectiveNames.Unknown(origin, name.ToLowerInvariant()));
            }
        }
    }

    // CACHE_HOST or CACHE_SIZE is somebody else's, though two letters make a directive of it.
    private static bool IsMisspelt(string name, string nearest) =>
        NearestName.Distance(name.ToUpperInvariant(), nearest.ToUpperInvariant())
            <= name.Length / LettersPerMistake;

    // Of a service named "cache" every container of its namespace is told CACHE_PORT=tcp://10.0.0.1:6379.
    private static bool IsOfKubernetes(Directive directive, string text) =>
        directive.Name == "port" && text.Contains("://", StringComparison.Ordinal);
}
