using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Expiry;

/// <summary>What has expired goes before what lives, also where a few records have most of the memory.</summary>
public sealed class ExpiredLargeTests
{
    private const int SoonMs = 50; // Before the next sweep.
    private const int LaterMs = 1_000_000;

    // All of them are in the active segment.
    [Fact]
    public void Set_WhereNothingMayBeEvicted_HasTheRoomOfLargeOnesWrittenLast()
    {
        using var fixture = new StoreFixture(o => o.Eviction = EvictionPolicy.None);
        byte[] value = new byte[200_000];
        int count = 0;
        var options = ExpiringAt(fixture.NowMs + SoonMs);
        while (fixture.Store.Set(Bytes($"key:{count:d8}"), value, options) == WriteStatus.Done)
            count++;
        fixture.Clock.Advance(SoonMs + 10);
        SetNew(fixture, count, value);
    }

    [Fact]
    public void Set_AfterLargeOnesWrittenLastExpired_EvictsNoneThatLives()
    {
        const int Count = 30_000;
        const int Large = 60;
        using var fixture = new StoreFixture();
        byte[] value = new byte[200];
        for (int i = 0; i < Count; i++)
            Set(fixture, $"key:{i:d8}", value, 0);
        for (int i = 0; i < Large; i++)
            Set(fixture, $"large:{i:d8}", new byte[100_000], fixture.NowMs + SoonMs);
        fixture.Clock.Advance(SoonMs + 10);
        SetNew(fixture, Count / 2, value);
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
    }

    // Each of a few thousand gives more than a write needs.
    [Fact]
    public void Set_AfterManyLargeOnesExpired_RemovesAsManyAsItNeeds()
    {
        const int Count = 1_400;
        byte[] value = new byte[10_000];
        using var fixture = new StoreFixture();
        for (int i = 0; i < Count; i++)
            Set(fixture, $"key:{i:d8}", value, fixture.NowMs + SoonMs);
        int before = 0;
        fixture.Clock.Advance(SoonMs + 10);
        long expired = 0;
        for (; expired == 0; before++)
        {
            SetNew(fixture, before, 1, value);
            expired = fixture.Store.GetStatistics().Expirations;
        }

        Assert.InRange(expired, 1, Count / 10);
        SetNew(fixture, before, Count, value);
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
    }

    // Of a fifth of each segment none becomes free, but the blocks of these do.
    [Fact]
    public void Set_AfterSomeLargeOnesOfEachSegmentExpired_EvictsNoneThatLives()
    {
        const int Count = 1_600;
        byte[] value = new byte[8_000];
        using var fixture = new StoreFixture();
        for (int i = 0; i < Count; i++)
            Set(fixture, LongKey("key", i), value, fixture.NowMs + (i % 5 == 0 ? SoonMs : LaterMs));
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
        fixture.Clock.Advance(SoonMs + 10);
        for (int i = 0; i < Count / 6; i++)
            Set(fixture, LongKey("new", i), value, fixture.NowMs + LaterMs);
        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
    }

    private static string LongKey(string prefix, int number) => prefix.PadRight(1_000, '.') + number;

    private static void SetNew(StoreFixture fixture, int count, byte[] value) => SetNew(fixture, 0, count, value);

    private static void SetNew(StoreFixture fixture, int first, int count, byte[] value)
    {
        for (int i = first; i < first + count; i++)
            Set(fixture, $"new:{i:d8}", value, 0);
    }

    private static void Set(StoreFixture fixture, string key, byte[] value, long expiresAtMs) =>
        Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes(key), value, ExpiringAt(expiresAtMs)));
}
