using Cache.Core;
using Cache.Durability.Attachment;
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
    public static DurableStore Open(string path, CacheStore store)
    {
        Directory.CreateDirectory(path);
        return DurableStore.Open(
            store,
            new SystemDirectory(path),
            new JournalOptions { FileBytes = FileBytes, Chunks = 8 },
            new StoreStart { HasThreads = false });
    }
}
