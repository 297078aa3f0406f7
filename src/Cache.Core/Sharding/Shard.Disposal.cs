using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A shard's part in the end of its store.</summary>
internal sealed partial class Shard
{
    /// <summary>Holds all buckets for ever, and lets who comes later find only one page of held ones.</summary>
    /// <returns>False if another thread held something for too long: to be called again.</returns>
    public bool TryClose(DisposalSteps disposal)
    {
        Debug.Assert(_state.IsDisposed, "Who waits for a bucket must see why.");
        if (!disposal.TryEnter(_growthGate))
            return false;
        try
        {
            for (; disposal.Position < _directory.Length; disposal.Position++)
            {
                int position = disposal.Position;
                if (position > 0 && _directory[position] == _directory[position - 1])
                    continue; // The page of the position before.
                var page = _pages[_directory[position]];
                for (; disposal.BucketIndex < IndexPage.BucketCount; disposal.BucketIndex++)
                {
                    if (!disposal.TryHold(page[disposal.BucketIndex]))
                        return false;
                }

                ReleaseBlocks(page);
                disposal.BucketIndex = 0;
            }

            Volatile.Write(ref _directory, [_state.HeldPage]);
            return true;
        }
        finally
        {
            _growthGate.Exit();
        }
    }

    /// <summary>Gives up what lies outside of the reservations; who reads a block has a reference of its own.</summary>
    private void ReleaseBlocks(IndexPage page)
    {
        if (!_state.HasBlocks)
            return;
        for (int i = 0; i < IndexPage.SlotCount; i++)
        {
            ulong entry = page[i / Bucket.SlotLast].EntryAt(i % Bucket.SlotLast + 1);
            if (entry == 0 || !_records[entry].Header.IsLarge)
                continue;
            _state.Release(LargeBlock.ReadStub(_records[entry].ValueOf(_records[entry].Header)));
        }
    }
}
