using Cache.Server;

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

    /// <returns>The path that group or others may write; of a folder, others alone.</returns>
    private static string? FindWriter(string folder, string path)
    {
        if (OperatingSystem.IsWindows())
            return null;
        if ((File.GetUnixFileMode(path) & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0)
            return path;
        return (File.GetUnixFileMode(folder) & UnixFileMode.OtherWrite) != 0 ? folder : null;
    }

    private static void Add(string? folder, List<Setting> given, List<string> problems)
    {
        if (folder is null || Path.Combine(folder, Name) is var path && !File.Exists(path))
            return;
        if (FindWriter(folder, path) is { } open)
        {
            problems.Add(
                $"{path}: {open} may be written by others than its owner, who could so set everything. "
                + $"Change that (chmod go-w {open}), or delete the file.");
            return;
        }

        bool isOfGroup = !OperatingSystem.IsWindows()
            && (File.GetUnixFileMode(folder) & UnixFileMode.GroupWrite) != 0;
        if (isOfGroup)
            AddOfGroup(folder, path, given, problems);
        else
            Add(ConfigFile.Read(path, problems), given);
    }

    // Kubernetes makes a volume's folder writable for a group (fsGroup). Who is in it may remove the file, or bring
    // back an older one, but cannot make one that belongs to the server's user or to root.
    private static void AddOfGroup(string folder, string path, List<Setting> given, List<string> problems)
    {
        using var file = FileOwner.OpenOwnOrRoots(path);
        if (file is null)
        {
            problems.Add(
                $"{path}: its group may write {folder}, so the file must be no link, and belong to the user of the "
                + $"server or to root. Change that (chmod g-w {folder}), or delete the file.");
            return;
        }

        Add(ConfigFile.Read(path, problems, FileOwner.PathOf(file)), given);
    }

    private static void Add(List<Setting> settings, List<Setting> given)
    {
        foreach (var setting in settings)
            given.Add(setting with { IsOverride = true });
    }
}
