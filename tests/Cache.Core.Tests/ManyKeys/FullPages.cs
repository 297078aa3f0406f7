using Cache.Core.Layout;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>A store of one shard, none of whose pages has an empty slot.</summary>
internal static class FullPages
{
    /// <summary>Writes keys until there are so many pages, and each is full.</summary>
    public static void Fill(StoreState state, int count)
    {
        for (int i = 0; state.EntryCount < count * IndexPage.SlotCount; i++)
        {
            var key = state.KeyOf(Bytes($"filler:{i}"), 0);
            if (state.Index.Count < count || HasSlot(state.Shards[0].HomeOf(key.Hash)))
                Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, key, "1"u8, default));
        }

        Assert.Equal(count, state.Index.Count);
    }

    private static bool HasSlot(Bucket home)
    {
        bool hasSlot = home.FindEmptySlot() != 0 || home.Page.NeighbourOf(home).FindEmptySlot() != 0;
        for (int stash = IndexPage.HomeCount; stash < IndexPage.BucketCount; stash++)
            hasSlot |= home.Page[stash].FindEmptySlot() != 0;
        return hasSlot;
    }
}
