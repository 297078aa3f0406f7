using Cache.Core;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests;

/// <summary>DEBUG RELOAD of files that a start would refuse.</summary>
public sealed class RefusedReloadTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(DurabilityMode.Journal)]
    [InlineData(DurabilityMode.Snapshot)]
    public async Task Reload_OfADamagedSnapshot_LeavesNoPartOfIt_AndServesNoCommand(DurabilityMode mode)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
        await using var durability = new CacheDurability(
            store, new DurabilityOptions { Mode = mode, Directory = _folder.Path });
        await durability.StartAsync(Cancellation);
        byte[] value = new byte[1_000];
        var random = new Random(1); // Not to be compressed.
        for (int i = 0; i < 1_000; i++)
        {
            random.NextBytes(value);
            store.Set(
                BitConverter.GetBytes(i), value, new EntryOptions { ExpiresAtUnixMs = store.NowUnixMs + 1_000_000 });
        }

        await durability.SaveAsync(Cancellation);
        string snapshot = Assert.Single(Directory.GetFiles(_folder.Path, "*.snap"));
        byte[] bytes = await File.ReadAllBytesAsync(snapshot, Cancellation);
        bytes.AsSpan(bytes.Length / 2, 100).Fill(7);
        await File.WriteAllBytesAsync(snapshot, bytes, Cancellation);

        Assert.False(durability.TryReload(saves: false));

        Assert.Equal(0, store.GetStatistics().Count);
        Assert.False(store.IsLoading);
        Assert.True(durability.IsLoading);
        Assert.False(durability.IsServing);
        await Assert.ThrowsAnyAsync<IOException>(() => durability.SaveAsync(Cancellation));
        await durability.StopAsync(Cancellation);
        Assert.Equal(bytes, await File.ReadAllBytesAsync(snapshot, Cancellation));
    }
}
