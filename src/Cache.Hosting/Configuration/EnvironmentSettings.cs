using System.Collections;
using Cache.Server.Settings;

namespace Cache.Hosting.Configuration;

/// <summary>Environment variables: CACHE_ and the directive's name, with _ for its hyphens.</summary>
internal static class EnvironmentSettings
{
    public const string Prefix = "CACHE_";

    // One wrong letter per this many is a misspelling; other programs have variables with this prefix too.
    private const int LettersPerMistake = 3;

    /// <remarks>
    /// A variable whose name is unlike any directive's belongs to another program and is ignored; one whose name is
    /// almost a directive's is misspelt.
    /// </remarks>
    /// <param name="variables">All variables.</param>
    /// <param name="problems">Receives the misspelt names.</param>
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

    // CACHE_HOST or CACHE_SIZE belongs to another program, though two letters would make it a directive.
    private static bool IsMisspelt(string name, string nearest) =>
        NearestName.Distance(name.ToUpperInvariant(), nearest.ToUpperInvariant())
            <= name.Length / LettersPerMistake;

    // Kubernetes sets CACHE_PORT=tcp://10.0.0.1:6379 in every container of the namespace if a service is named "cache".
    private static bool IsOfKubernetes(Directive directive, string text) =>
        directive.Name == "port" && text.Contains("://", StringComparison.Ordinal);
}
