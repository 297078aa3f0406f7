using Cache.Server.Commands.Administration;

namespace Cache.Server.Commands.Cluster;

/// <summary>Writes the file of a map such that a failure of the machine leaves the old or the new one.</summary>
/// <remarks>By one at a time.</remarks>
internal static class MapFile
{
    // Beside the file, so that a rename is enough.
    private const string Suffix = ".new";

    /// <summary>Puts another file in the place of the old one.</summary>
    /// <returns>What went wrong; null: nothing.</returns>
    public static string? TryReplace(string path, byte[] bytes)
    {
        try
        {
            using (var file = new FileStream(path + Suffix, FileMode.Create, FileAccess.Write, FileShare.None))
            {
                file.Write(bytes);
                file.Flush(flushToDisk: true);
            }

            File.Move(path + Suffix, path, overwrite: true);
            return FolderSync.TrySync(Path.GetDirectoryName(path)!) ? null : $"may not be on the disk: {path}";
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            Drop(path + Suffix);
            return $"cannot be written to {path}: {failure.Message}";
        }
    }

    private static void Drop(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // It is overwritten by the next one.
        }
    }
}
