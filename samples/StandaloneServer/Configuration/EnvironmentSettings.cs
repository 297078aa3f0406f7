using System.Collections;

namespace StandaloneServer.Configuration;

/// <summary>Environment variables: CACHE_ and the directive's name, with _ for its hyphens.</summary>
internal static class EnvironmentSettings
{
    public const string Prefix = "CACHE_";

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
            if (DirectiveTable.FindLoosely(name) is { } directive)
            {
                string text = variable.Value as string ?? "";
                if (JsonSettings.SplitList(directive, text, origin, problems) is { } values)
                    yield return new Setting(directive.Name, values, origin) { Label = origin };
            }
            else if (DirectiveTable.FindNearest(name) is not null)
            {
                problems.Add(DirectiveTable.Unknown(origin, name.ToLowerInvariant()));
            }
        }
    }
}
