using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A shard's part in the end of its store.</summary>
internal sealed partial class Shard
{
    /// <summary>Locks all buckets for ever; later operations find only one page of locked buckets.</summary>
    /// <returns>False if another thread held something for too long: to be called again.</returns>
    public bool TryClose(DisposalSteps disposal)
    {
        Debug.Assert(_state.IsDisposed, "A thread that waits for a bucket must see the flag.");
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

    /// <summary>Releases the blocks outside of the reservations; the reader of a block has its own reference.</summary>
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
