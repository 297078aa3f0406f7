using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>The manifest on the disk: replaced atomically, never changed in place.</summary>
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
                if (FileNames.IsPlain(name)) // The first manifest is written before the first of them.
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

    /// <summary>Replaces the manifest; the new one is durable when this returns.</summary>
    public static void Publish(StorageDirectory directory, Manifest manifest)
    {
        // All are complete before one becomes valid: without room for all, the old ones stay.
        Write(directory, FileNames.NextManifest, manifest);
        Write(directory, FileNames.NextSuspendedManifest, manifest with { State = ManifestState.Suspended });
        Write(directory, FileNames.NextRefusedManifest, manifest with { State = ManifestState.Refused });
        // The manifest last: whenever this ends, what a suspension renames is there.
        directory.Rename(FileNames.NextSuspendedManifest, FileNames.SuspendedManifest);
        directory.Rename(FileNames.NextRefusedManifest, FileNames.RefusedManifest);
        directory.Rename(FileNames.NextManifest, FileNames.Manifest);
        directory.Sync();
    }

    /// <summary>Makes the state "suspended" or "refused", even without room for a new file.</summary>
    public static void Suspend(StorageDirectory directory, ManifestState state)
    {
        directory.Rename(
            state == ManifestState.Refused ? FileNames.RefusedManifest : FileNames.SuspendedManifest,
            FileNames.Manifest);
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
