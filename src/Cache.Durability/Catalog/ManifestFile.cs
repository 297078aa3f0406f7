using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>The manifest on the disk: replaced at one moment, never changed in its place.</summary>
internal static class ManifestFile
{
    /// <summary>Reads the manifest; null if there is none.</summary>
    /// <exception cref="RefusedDirectoryException">It is damaged or missing beside files.</exception>
    public static Manifest? Read(StorageDirectory directory)
    {
        if (!directory.List().Contains(FileNames.Manifest))
        {
            foreach (string name in directory.List())
            {
                if (FileNames.IsPlain(name)) // The first manifest is there before the first of them.
                {
                    throw new RefusedDirectoryException(
                        directory.Path, FileNames.Manifest, $"is missing beside {name}");
                }
            }

            return null;
        }

        using var file = directory.Open(FileNames.Manifest, writable: false);
        byte[] bytes = new byte[Math.Min(file.Length, ManifestText.BytesMax)];
        int length = file.Read(0, bytes);
        return ManifestText.TryParse(bytes.AsSpan(0, length), out var manifest, out string problem)
            ? manifest
            : throw new RefusedDirectoryException(directory.Path, FileNames.Manifest, problem);
    }

    /// <summary>Puts a manifest in the place of the one that is there; it is on the disk when this returns.</summary>
    public static void Publish(StorageDirectory directory, Manifest manifest)
    {
        // Both are whole before either counts: where there is no room for them, the old two stay.
        Write(directory, FileNames.NextManifest, manifest);
        Write(directory, FileNames.NextSuspendedManifest, manifest with { State = ManifestState.Suspended });
        directory.Rename(FileNames.NextManifest, FileNames.Manifest);
        directory.Rename(FileNames.NextSuspendedManifest, FileNames.SuspendedManifest);
        directory.Sync();
    }

    /// <summary>Says "suspended" from now on, without room for a new file.</summary>
    public static void Suspend(StorageDirectory directory)
    {
        directory.Rename(FileNames.SuspendedManifest, FileNames.Manifest);
        directory.Sync();
    }

    private static void Write(StorageDirectory directory, string name, Manifest manifest)
    {
        if (directory.List().Contains(name)) // Left by a process that was killed.
            directory.Delete(name);
        using var file = directory.Create(name, length: 0);
        file.Write(0, ManifestText.Format(manifest));
        file.Sync();
    }
}
