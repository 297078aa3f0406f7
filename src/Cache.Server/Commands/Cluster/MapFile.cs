using Cache.Server.Commands.Administration;

namespace Cache.Server.Commands.Cluster;

/// <summary>Writes the file of a map such that a failure of the machine leaves the old or the new one.</summary>
internal static class MapFile
{
    // Beside the file, so that a rename is enough.
    private const string Suffix = ".new";

    /// <summary>Writes the new file beside the old one.</summary>
    /// <returns>What went wrong; null: nothing.</returns>
    public static string? TryPrepare(string path, byte[] bytes)
    {
        try
        {
            using var file = new FileStream(path + Suffix, FileMode.Create, FileAccess.Write, FileShare.None);
            file.Write(bytes);
            file.Flush(flushToDisk: true);
            return null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return $"cannot be written to {path}: {failure.Message}";
        }
    }

    /// <summary>Forgets the new file.</summary>
    public static void Drop(string path)
    {
        try
        {
            File.Delete(path + Suffix);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // It is overwritten by the next one.
        }
    }

    /// <summary>Puts the new file in the place of the old one.</summary>
    /// <returns>What went wrong; null: nothing.</returns>
    public static string? TryReplace(string path)
    {
        try
        {
            File.Move(path + Suffix, path, overwrite: true);
            return FolderSync.TrySync(Path.GetDirectoryName(path)!) ? null : $"may not be on the disk: {path}";
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return $"cannot be written to {path}: {failure.Message}";
        }
    }
}
