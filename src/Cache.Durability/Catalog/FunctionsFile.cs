using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>The libraries of functions on the disk, as one payload: replaced atomically, not in place.</summary>
/// <remarks>
/// They are no records of the journal: they are few, change seldom and as a whole, and no entry depends on them.
/// </remarks>
internal static class FunctionsFile
{
    // A payload of more than all functions that a server may have.
    private const long BytesMax = 64 << 20;

    /// <summary>Reads the payload, which may be damaged; null if there is none.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static byte[]? Read(StorageDirectory directory)
    {
        if (!directory.List().Contains(FileNames.Functions))
            return null;
        using var file = directory.Open(FileNames.Functions, writable: false);
        if (file.Length > BytesMax)
            throw new RefusedDirectoryException(directory.Path, FileNames.Functions, "is longer than all functions");
        byte[] bytes = new byte[file.Length];
        return bytes[..file.Read(0, bytes)];
    }

    /// <summary>Replaces the payload.</summary>
    /// <returns>
    /// Whether the new one is durable. If not it is there, but the machine may lose it: the folder cannot be synced.
    /// </returns>
    /// <exception cref="IOException">It cannot be written: the old one stays.</exception>
    public static bool Write(StorageDirectory directory, byte[] payload)
    {
        if (directory.List().Contains(FileNames.NextFunctions)) // Left by a process that was killed.
            directory.Delete(FileNames.NextFunctions);
        using (var file = directory.Create(FileNames.NextFunctions, length: 0))
        {
            file.Write(0, payload);
            file.Sync();
        }

        directory.Rename(FileNames.NextFunctions, FileNames.Functions);
        try
        {
            directory.Sync();
            return true;
        }
        catch (IOException)
        {
            return false; // The next process finds the new one: nobody may be told that it is not there.
        }
    }
}
