using System.Globalization;
using System.Text;

namespace Cache.Core.Tests.Log;

public sealed class OutsideBytesTests
{
    [Fact]
    public void OutsideBytes_TakeTheRoomOfEntries_UntilTheyGo()
    {
        using var fixture = new StoreFixture();
        Fill(fixture.Store);
        long countAlone = fixture.Store.Count;

        fixture.Store.AddOutsideBytes(StoreFixture.MemoryLimitBytes / 2);
        Fill(fixture.Store);

        Assert.InRange(fixture.Store.Count, 1, countAlone * 3 / 4);
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, 0, StoreFixture.MemoryLimitBytes);
        fixture.Store.AssertValid();
        fixture.Store.AddOutsideBytes(-StoreFixture.MemoryLimitBytes / 2);
        Fill(fixture.Store);
        Assert.InRange(fixture.Store.Count, countAlone * 9 / 10, long.MaxValue);
    }

    // As in Redis: nobody need write.
    [Fact]
    public void OutsideBytes_ThatGrowAlone_EvictEntriesAtTheNextSweep()
    {
        using var fixture = new StoreFixture();
        Fill(fixture.Store);

        fixture.Store.AddOutsideBytes(StoreFixture.MemoryLimitBytes / 2);
        fixture.Clock.Advance(250);

        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, 0, StoreFixture.MemoryLimitBytes);
        Assert.InRange(fixture.Store.Count, 1, long.MaxValue);
    }

    // Nothing that might go would make room for it, so nothing goes.
    [Fact]
    public void Set_OfAValueTooLongForWhatIsHeldOutside_IsRefusedAndEvictsNothing()
    {
        using var fixture = new StoreFixture();
        fixture.Store.AddOutsideBytes(StoreFixture.MemoryLimitBytes / 2);
        Fill(fixture.Store);
        long count = fixture.Store.Count;

        byte[] value = new byte[StoreFixture.MemoryLimitBytes * 3 / 4];
        Assert.Equal(WriteStatus.OutOfMemory, fixture.Store.Set("key"u8, value));
        Assert.Equal(count, fixture.Store.Count);
    }

    private static void Fill(CacheStore store)
    {
        byte[] value = new byte[1000];
        for (int i = 0; i < 40_000; i++)
        {
            byte[] key = Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture));
            Assert.Equal(WriteStatus.Done, store.Set(key, value));
        }
    }
}
