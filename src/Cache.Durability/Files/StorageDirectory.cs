namespace Cache.Durability.Files;

/// <summary>The directory of a store's files, with the operations that journal and snapshots need.</summary>
/// <remarks>
/// Every error is an <see cref="IOException"/>. Creating, renaming and deleting a file is durable only after
/// <see cref="Sync"/>; a file's content, only after <see cref="StorageFile.Sync"/>. Names contain no folders. Not
/// thread-safe for one name; threads may use different ones.
/// </remarks>
internal abstract class StorageDirectory
{
    /// <summary>The path, for messages.</summary>
    public abstract string Path { get; }

    /// <summary>The names of the files, in any order.</summary>
    public abstract IReadOnlyList<string> List();

    /// <summary>Creates a file filled with zeros: none of its blocks is allocated later.</summary>
    /// <remarks>
    /// isWritten: Whether the zeros are written, so that a sync of the file writes only its bytes; else the disk may
    /// note at the first write of a block that it is no longer empty.
    /// </remarks>
    /// <exception cref="IOException">It exists, or the disk has no room: nothing is left behind.</exception>
    public abstract StorageFile Create(string name, long length, bool isWritten = true);

    /// <summary>Opens an existing file.</summary>
    public abstract StorageFile Open(string name, bool writable);

    /// <summary>Renames a file atomically; replaces a file that had the name.</summary>
    public abstract void Rename(string name, string newName);

    public abstract void Delete(string name);

    /// <summary>Waits until names that were created, renamed or deleted are on the disk.</summary>
    public abstract void Sync();

    /// <summary>The free bytes of the disk.</summary>
    public abstract long FreeBytes();

    /// <summary>Locks the directory by a file that contains the number of this process.</summary>
    /// <exception cref="DirectoryLockedException">Another process has the lock.</exception>
    public abstract IDisposable Lock(string name);
}
