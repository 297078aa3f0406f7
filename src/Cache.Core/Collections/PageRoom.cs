using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Makes room for the pages of a write, a slab more each time; the caller holds nothing.</summary>
/// <remarks>blockBytes: What a long value counts besides.</remarks>
internal struct PageRoom(long blockBytes)
{
    // A write may need a slab for each length of pages, and others may take what was freed.
    private const int AttemptsMax = 4 * TreePage.GrainsMax;

    private int _attempts;
    private bool _wasRefused;

    /// <returns>False if there is none.</returns>
    public bool TryMake(StoreState state, in EntryKey key)
    {
        if (++_attempts > AttemptsMax || _wasRefused)
            return false;
        long wanted = blockBytes + Math.Min(_attempts, TreePage.GrainsMax) * (long)TreePages.SlabBytes
            - ObjectHeap.PrepaidBytes;
        if (wanted > 0 && !state.ShardOf(key.Hash).TryTakePageRoom(key, wanted))
            _wasRefused = true; // What went may have left pages in slabs that are used: once more.
        return true;
    }
}
