using System.Text;
using Cache.Core.Changes;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Changes;

/// <summary>What an application is told of values that are gone.</summary>
public sealed class RemovedEntriesTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void ObserveRemoved_TellsKeyAndCause()
    {
        _fixture.Set("before", "1");
        using var removed = Store.ObserveRemoved();

        _fixture.Set("a", "1");
        _fixture.Set("a", "2");
        Store.Append("a"u8, "3"u8, out _);
        Store.Hash("h"u8).Set("f"u8, "1"u8);
        Store.Hash("h"u8).Set("f"u8, "2"u8);
        Store.Hash("h"u8).Remove("f"u8);
        Store.Rename("a"u8, "b"u8, SetCondition.Always);
        Store.Remove("b"u8);
        Store.Remove("b"u8);
        _fixture.Set("c", "1", ExpiringAt(Store.NowMs + 10));
        _fixture.Clock.Advance(1_000);
        Store.GetArray("c"u8);
        Store.Clear();

        Assert.Equal(
            ["a Replaced", "h Deleted", "a Deleted", "b Deleted", "c Expired", " Cleared"], ReadAll(removed));
        Assert.Equal(0, removed.DroppedCount);
    }

    [Fact]
    public void ObserveRemoved_TellsOfEvictions()
    {
        using var removed = Store.ObserveRemoved(RemovedEntries.CapacityMax);
        for (int i = 0; Store.GetStatistics().Evictions == 0; i++)
            Store.Set(Bytes($"{i}"), new byte[10_000]);

        Assert.Equal(
            Store.GetStatistics().Evictions, ReadAll(removed).Count(static one => one.EndsWith(" Evicted")));
    }

    [Fact]
    public void ObserveRemoved_OfMoreThanTheCapacity_SaysWhatItDropped()
    {
        using var removed = Store.ObserveRemoved(2);
        for (int i = 0; i < 6; i++)
            _fixture.Set("a", $"{i}");

        Assert.Equal(3, removed.DroppedCount);
        Assert.Equal(2, removed.WaitingCount);
        Assert.Equal(["a Replaced", "a Replaced"], ReadAll(removed));
        Assert.Throws<ArgumentOutOfRangeException>(() => Store.ObserveRemoved(0));
    }

    [Fact]
    public async Task Enumerate_WaitsForEntriesUntilItIsDisposed()
    {
        var removed = Store.ObserveRemoved();
        var read = new List<string>();
        var reading = Task.Run(async () =>
        {
            await foreach (var entry in removed)
                read.Add(Describe(entry));
        }, TestContext.Current.CancellationToken);
        _fixture.Set("a", "1");
        Store.Remove("a"u8);
        removed.Dispose();
        await reading.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        _fixture.Set("a", "1");
        Store.Remove("a"u8);

        Assert.Equal(["a Deleted"], read);
        Assert.False(removed.TryRead(out _));
    }

    private static List<string> ReadAll(RemovedEntries removed)
    {
        var all = new List<string>();
        while (removed.TryRead(out var entry))
            all.Add(Describe(entry));
        return all;
    }

    private static string Describe(RemovedEntry entry) =>
        $"{Encoding.Latin1.GetString(entry.Key.Span)} {entry.Cause}";
}
