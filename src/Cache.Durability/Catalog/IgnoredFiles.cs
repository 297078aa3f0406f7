using System.Globalization;
using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>A start without the files, which an administrator asked for: they are renamed, never deleted.</summary>
internal static class IgnoredFiles
{
    /// <summary>The file whose presence asks for it, once.</summary>
    public const string Marker = "ignore-journal";

    private const string EndingStart = ".ignored-";

    /// <summary>The suffix of the files that a start ignores at this moment.</summary>
    public static string EndingOf(DateTimeOffset now) =>
        EndingStart + now.UtcDateTime.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture);

    /// <summary>Renames all files of a store.</summary>
    /// <remarks>
    /// The manifest comes last: until then it names files that are missing, so that a start which is interrupted here
    /// and loses its marker is refused, rather than taking the rest for free files.
    /// </remarks>
    /// <param name="directory">The directory; locked by the caller.</param>
    /// <param name="ending">The suffix that they get.</param>
    /// <returns>The number of renamed files, and their suffix: another one where files have that already.</returns>
    public static (int Count, string Ending) PutAside(StorageDirectory directory, string ending)
    {
        ending = Unused(directory, ending);
        var names = directory.List().Where(FileNames.IsPlain).Order(StringComparer.Ordinal).ToList();
        names.AddRange(directory.List().Where(static name => name is FileNames.Functions or FileNames.NextFunctions));
        names.AddRange(directory.List().Where(static name => IsManifest(name) && name != FileNames.Manifest));
        if (directory.List().Contains(FileNames.Manifest))
            names.Add(FileNames.Manifest);
        foreach (string name in names)
            directory.Rename(name, name + ending);
        directory.Sync();
        return (names.Count, ending);
    }

    // A clock may be set back: no file of an earlier start is replaced.
    private static string Unused(StorageDirectory directory, string ending)
    {
        string unused = ending;
        for (int i = 2; directory.List().Any(name => name.EndsWith(unused, StringComparison.Ordinal)); i++)
            unused = string.Create(CultureInfo.InvariantCulture, $"{ending}-{i}");
        return unused;
    }

    private static bool IsManifest(string name) => name
        is FileNames.Manifest or FileNames.NextManifest or FileNames.SuspendedManifest
        or FileNames.NextSuspendedManifest or FileNames.RefusedManifest or FileNames.NextRefusedManifest;
}
