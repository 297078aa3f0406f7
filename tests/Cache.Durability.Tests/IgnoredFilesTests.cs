using System.Text;
using Cache.Core;
using Cache.Durability.Catalog;
using Cache.Durability.Tests.Files;

namespace Cache.Durability.Tests;

/// <summary>A start that an administrator asked to load nothing.</summary>
public sealed class IgnoredFilesTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string Folder => _folder.Path;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(DurabilityMode.Journal)]
    [InlineData(DurabilityMode.Snapshot)]
    [InlineData(DurabilityMode.Restart)]
    public async Task Start_WithTheMarker_LoadsNothingOnce_AndKeepsTheFiles(DurabilityMode mode)
    {
        await using (var first = await StartAsync(mode))
            first.Store.Set("a"u8, "1"u8);
        string[] files = Names();
        string marker = Path.Combine(Folder, IgnoredFiles.Marker);
        await File.WriteAllBytesAsync(marker, [], Cancellation);

        await using (var second = await StartAsync(mode))
        {
            Assert.False(second.Store.Contains("a"u8));
            Assert.False(File.Exists(marker));
            Assert.Contains(
                second.Durability.GetStatus().StartNotes, static note => note.Contains("ignore-journal"));
            second.Store.Set("b"u8, "1"u8);
        }

        await using (var third = await StartAsync(mode)) // Once.
            Assert.True(third.Store.Contains("b"u8));

        // As the note says: away with the others, and the names given back.
        foreach (string name in Names().Where(static name => !name.Contains(".ignored-")))
            File.Delete(Path.Combine(Folder, name));
        foreach (string name in Names().Where(static name => name.Contains(".ignored-")))
        {
            string path = Path.Combine(Folder, name);
            File.Move(path, path[..path.IndexOf(".ignored-", StringComparison.Ordinal)]);
        }

        Assert.Equal(files, Names());
        await using var fourth = await StartAsync(mode);
        Assert.True(fourth.Store.Contains("a"u8));
        Assert.False(fourth.Store.Contains("b"u8));

        string[] Names() =>
        [
            .. Directory.GetFiles(Folder).Select(Path.GetFileName).OfType<string>()
                .Where(static name => name != FileNames.Lock && name != IgnoredFiles.Marker)
                .Order(StringComparer.Ordinal),
        ];
    }

    // What else would refuse the start, since nothing of it may be lost.
    [Fact]
    public async Task Start_WithTheMarkerAndADamagedManifest_StartsAndKeepsIt()
    {
        await using (var first = await StartAsync(DurabilityMode.Journal))
            first.Store.Set("a"u8, "1"u8);
        await File.WriteAllTextAsync(Path.Combine(Folder, "MANIFEST"), "nonsense", Cancellation);
        await Assert.ThrowsAnyAsync<IOException>(async () => await StartAsync(DurabilityMode.Journal));
        await File.WriteAllBytesAsync(Path.Combine(Folder, IgnoredFiles.Marker), [], Cancellation);

        await using var second = await StartAsync(DurabilityMode.Journal);

        Assert.Equal(0, second.Store.GetStatistics().Count);
        string kept = Assert.Single(Directory.GetFiles(Folder, "MANIFEST.ignored-*"));
        Assert.Equal("nonsense", await File.ReadAllTextAsync(kept, Cancellation));
    }

    // A crash between two renames: what is left must not look like a store without files.
    [Fact]
    public void PutAside_Interrupted_LeavesTheManifest()
    {
        string[] names = [FileNames.Manifest, FileNames.JournalOf(1), FileNames.SnapshotOf(2), "other"];
        bool isDone = false;
        for (int renames = 0; !isDone; renames++)
        {
            var directory = new FaultyDirectory();
            foreach (string name in names)
                directory.Create(name, 0).Dispose();
            directory.Fail(Operation.Rename, after: renames);
            try
            {
                IgnoredFiles.PutAside(directory, ".ignored-1");
                isDone = true;
                Assert.Equal(
                    ["MANIFEST.ignored-1", "base-000002.snap.ignored-1", "jrnl-000001.cj.ignored-1", "other"],
                    directory.List().Order(StringComparer.Ordinal));
            }
            catch (IOException)
            {
                Assert.Contains(FileNames.Manifest, directory.List());
            }
        }
    }

    // A clock without a battery begins at the same moment at each boot.
    [Fact]
    public async Task Start_WithTheMarkerTwiceInASecond_KeepsTheFilesOfBoth()
    {
        for (int i = 0; i < 3; i++)
        {
            if (i > 0)
                await File.WriteAllBytesAsync(Path.Combine(Folder, IgnoredFiles.Marker), [], Cancellation);
            using var store = new CacheStore(
                new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, new StoppedClock());
            await using var files = new CacheDurability(
                store, new DurabilityOptions { Mode = DurabilityMode.Journal, Directory = Folder });
            await files.StartAsync(Cancellation);
            store.Set(Encoding.ASCII.GetBytes($"precious-{i}"), "1"u8);
        }

        var all = Directory.GetFiles(Folder).Select(File.ReadAllBytes).Select(Encoding.Latin1.GetString).ToList();
        for (int i = 0; i < 3; i++)
            Assert.Contains(all, text => text.Contains($"precious-{i}", StringComparison.Ordinal));
    }

    private async Task<Kept> StartAsync(DurabilityMode mode)
    {
        var kept = new Kept(new DurabilityOptions { Mode = mode, Directory = Folder });
        await kept.Durability.StartAsync(Cancellation);
        return kept;
    }

    private sealed class StoppedClock : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
    }

    private sealed class Kept : IAsyncDisposable
    {
        public Kept(DurabilityOptions options) => Durability = new CacheDurability(Store, options);

        public CacheStore Store { get; } = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

        public CacheDurability Durability { get; }

        public async ValueTask DisposeAsync()
        {
            await Durability.DisposeAsync();
            Store.Dispose();
        }
    }
}
