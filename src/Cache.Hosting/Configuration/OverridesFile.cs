namespace Cache.Hosting.Configuration;

/// <summary>
/// A file of settings that win over all other sources, for an emergency: who deletes it has what was before.
/// </summary>
internal static class OverridesFile
{
    /// <summary>Its name, beside the configuration file and in the folder of dir.</summary>
    public const string Name = "overrides.conf";

    /// <summary>Adds what these files say, if they exist; that in dir wins.</summary>
    /// <param name="configFile">The configuration file; null: there is none.</param>
    /// <param name="given">The settings of all other sources, which may name dir.</param>
    /// <param name="problems">Receives each error with its file and line.</param>
    public static List<Setting> AddTo(string? configFile, List<Setting> given, List<string> problems)
    {
        string? beside = configFile is null ? null : Path.GetDirectoryName(Path.GetFullPath(configFile));
        string? folder = given.FindLast(static one =>
            !one.IsForeign && one.Name.Equals("dir", StringComparison.OrdinalIgnoreCase))?.Text;
        folder = string.IsNullOrEmpty(folder) ? null : Path.GetFullPath(folder);
        Add(beside, given, problems);
        if (folder != beside)
            Add(folder, given, problems);
        return given;
    }

    /// <returns>The path, if group or others may write it.</returns>
    private static string? FindWriter(string path) =>
        !OperatingSystem.IsWindows()
        && (File.GetUnixFileMode(path) & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0
            ? path
            : null;

    private static void Add(string? folder, List<Setting> given, List<string> problems)
    {
        if (folder is null || Path.Combine(folder, Name) is var path && !File.Exists(path))
            return;
        if ((FindWriter(folder) ?? FindWriter(path)) is { } open)
        {
            problems.Add(
                $"{path}: {open} may be written by others than its owner, who could so set everything. "
                + $"Change that (chmod go-w {open}), or delete the file.");
            return;
        }

        foreach (var setting in ConfigFile.Read(path, problems))
            given.Add(setting with { IsOverride = true });
    }
}
