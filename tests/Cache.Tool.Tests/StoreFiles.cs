using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Journaling;

namespace Cache.Tool.Tests;

/// <summary>Makes directories as a store makes them.</summary>
internal static class StoreFiles
{
    // Small, so that each byte can be changed.
    private const int FileBytes = 16 << 10;

    /// <summary>A directory that a store has closed.</summary>
    public static void Write(string path, TimeProvider time, Action<CacheStore, DurableStore> use)
    {
        using var store = Create(time);
        using var durable = Open(path, store);
        use(store, durable);
    }

    /// <summary>A directory of a process that was killed after it had written all changes.</summary>
    public static void WriteAndKill(string path, TimeProvider time, Action<CacheStore, DurableStore> use)
    {
        using var folder = new TemporaryFolder();
        using var store = Create(time);
        using var durable = Open(folder.Path, store);
        use(store, durable);
        durable.Journal.WriteAll();
        TemporaryFolder.Copy(folder.Path, path);
    }

    /// <summary>A directory of a process that was killed before it had written its last changes.</summary>
    /// <returns>The file of shared memory with them; the caller deletes it.</returns>
    public static string WriteAndKillStaged(
        string path, TimeProvider time, Action<CacheStore, DurableStore> use, Action<CacheStore> stage)
    {
        using var copy = new TemporaryFolder();
        string ring;
        byte[] staged;
        using (var store = Create(time))
        {
            using var durable = Open(path, store, StagedRecords.Folder);
            use(store, durable);
            durable.Journal.WriteAll();
            stage(store);
            var directory = new SystemDirectory(path);
            ring = StagedRecords.RingOf(directory, ManifestFile.Read(directory)!);
            staged = File.ReadAllBytes(ring);
            TemporaryFolder.Copy(path, copy.Path);
        }

        Directory.Delete(path, recursive: true);
        TemporaryFolder.Copy(copy.Path, path);
        File.WriteAllBytes(ring, staged);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(ring, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        return ring;
    }

    /// <summary>Sets some entries, and removes one.</summary>
    public static void Fill(CacheStore store, DurableStore durable)
    {
        for (int i = 0; i < 10; i++)
            store.Set(KeyOf(i), new byte[] { (byte)i, 2, 3 });
        durable.Journal.WriteAll(); // A block that a later one knows to be on the disk.
        store.Remove(KeyOf(3));
        durable.Journal.WriteAll();
        store.Set("last"u8, "one"u8);
    }

    public static byte[] KeyOf(int number) => System.Text.Encoding.ASCII.GetBytes($"key:{number}");

    public static CacheStore Create(TimeProvider time) =>
        new(new CacheOptions { MemoryLimitBytes = 256 << 20, ShardCount = 4 }, time);

    /// <summary>Opens it as a start does.</summary>
    public static DurableStore Open(string path, CacheStore store, string? ringFolder = null)
    {
        Directory.CreateDirectory(path);
        return DurableStore.Open(
            store,
            new SystemDirectory(path),
            new JournalOptions { FileBytes = FileBytes, Chunks = 8, RingFolder = ringFolder },
            new StoreStart { HasThreads = false });
    }
}
