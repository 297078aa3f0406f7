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
    /// <exception cref="SettingException">A name is misspelt.</exception>
    public static IEnumerable<Setting> Read(IDictionary variables)
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
                yield return new Setting(directive.Name, JsonSettings.SplitList(directive, text, origin), origin);
            }
            else if (DirectiveTable.FindNearest(name) is not null)
            {
                throw DirectiveTable.Unknown(origin, name.ToLowerInvariant());
            }
        }
    }
}
