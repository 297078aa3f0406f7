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

    // What a write would find: entries go for it where they may.
    [Theory]
    [InlineData(EvictionPolicy.AllEntries)]
    [InlineData(EvictionPolicy.None)]
    public void TryMakeRoom_OfAFullStore_DependsOnThePolicy(EvictionPolicy policy)
    {
        using var fixture = new StoreFixture();
        Assert.True(fixture.Store.TryMakeRoom(1000));
        Fill(fixture.Store);
        long count = fixture.Store.Count;
        fixture.Store.Eviction = policy;
        byte[] value = new byte[20_000];
        for (int i = 0; policy == EvictionPolicy.None; i++)
        {
            if (fixture.Store.Set(BitConverter.GetBytes(i), value) != WriteStatus.Done)
                break;
            count = fixture.Store.Count;
        }

        Assert.Equal(policy == EvictionPolicy.AllEntries, fixture.Store.TryMakeRoom(1 << 20));

        Assert.Equal(policy == EvictionPolicy.None, fixture.Store.Count >= count);
        Assert.False(fixture.Store.TryMakeRoom(StoreFixture.MemoryLimitBytes));
        Assert.Throws<ArgumentOutOfRangeException>(() => fixture.Store.TryMakeRoom(-1));
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
