namespace StandaloneServer.Configuration;

/// <summary>A file in the form of redis.conf: a directive a line, # for comments, include for another file.</summary>
internal static class ConfigFile
{
    // A file that includes itself ends here.
    private const int IncludeDepthMax = 8;

    /// <exception cref="SettingException">A file cannot be read, or a line cannot be understood.</exception>
    public static List<Setting> Read(string path)
    {
        var settings = new List<Setting>();
        Read(path, settings, depth: 0);
        return settings;
    }

    private static void Read(string path, List<Setting> settings, int depth)
    {
        int number = 0;
        foreach (string line in ReadLines(path))
        {
            string origin = $"{path}, line {++number}";
            string text = line.Trim();
            if (text.Length == 0 || text.StartsWith('#'))
                continue;
            if (ArgumentSplitter.Split(text) is not [var name, .. var values])
                throw new SettingException($"{origin}: a quote is not closed, or not followed by a space.");
            if (!name.Equals("include", StringComparison.OrdinalIgnoreCase))
                settings.Add(new Setting(name, values, origin));
            else if (values is not [var included])
                throw new SettingException($"{origin}: include needs one path.");
            else if (depth == IncludeDepthMax)
                throw new SettingException($"{origin}: files include each other more than {IncludeDepthMax} deep.");
            else
                Read(Path.Combine(Path.GetDirectoryName(path) ?? "", included), settings, depth + 1);
        }
    }

    private static string[] ReadLines(string path)
    {
        try
        {
            return File.ReadAllLines(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new SettingException($"The configuration file cannot be read: {e.Message}");
        }
    }
}
