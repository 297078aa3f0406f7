namespace Cache.Durability.Files;

/// <summary>The directory that holds a store's files: what journal and snapshots need of it.</summary>
/// <remarks>
/// Every error is an <see cref="IOException"/>. What creates, renames or deletes a name is durable only after
/// <see cref="Sync"/>; what a file holds, only after <see cref="StorageFile.Sync"/>. Names have no folders in them.
/// Not thread-safe for one name; threads may use different ones.
/// </remarks>
internal abstract class StorageDirectory
{
    /// <summary>Where it is, for messages.</summary>
    public abstract string Path { get; }

    /// <summary>The names of the files, in no order.</summary>
    public abstract IReadOnlyList<string> List();

    /// <summary>Makes a new file whose zeros are written: none of its blocks is allocated later.</summary>
    /// <exception cref="IOException">It is there, or the disk has no room: nothing stays behind.</exception>
    public abstract StorageFile Create(string name, long length);

    /// <summary>Opens a file that is there.</summary>
    public abstract StorageFile Open(string name, bool writable);

    /// <summary>Gives a file another name, at one moment, in place of a file that had it.</summary>
    public abstract void Rename(string name, string newName);

    public abstract void Delete(string name);

    /// <summary>Waits until names that were created, renamed or deleted are on the disk.</summary>
    public abstract void Sync();

    /// <summary>The bytes that files may still grow by.</summary>
    public abstract long FreeBytes();

    /// <summary>Takes a file as the lock of the directory, with the number of this process in it.</summary>
    /// <exception cref="DirectoryLockedException">Another process has it.</exception>
    public abstract IDisposable Lock(string name);
}
