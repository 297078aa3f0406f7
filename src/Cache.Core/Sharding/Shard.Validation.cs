using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Proves the invariants of a shard, for tests.</summary>
internal sealed partial class Shard
{
    /// <summary>Throws unless all that the index says is true. Nobody may write meanwhile.</summary>
    public void AssertValid(StoreValidator validator)
    {
        lock (_growthGate)
        {
            long[] counts = new long[_countByGeneration.Length];
            long[] expiring = new long[_expiringByGeneration.Length];
            for (int position = 0; position < _directory.Length;)
            {
                FindRange(position, out int first, out int count);
                StoreValidator.Require(
                    first == position && first % count == 0, $"shard {Index}: position {position} is out of place");
                AssertPage(_pages[_directory[position]], validator, counts, expiring);
                position += count;
            }

            for (int i = 0; i < counts.Length; i++)
            {
                StoreValidator.Require(
                    counts[i] == _countByGeneration[i],
                    $"generation {i} of shard {Index} counts {_countByGeneration[i]} of {counts[i]}");
                StoreValidator.Require(
                    expiring[i] == _expiringByGeneration[i],
                    $"generation {i} of shard {Index} counts {_expiringByGeneration[i]} of {expiring[i]} expiring");
            }
        }
    }

    private void AssertPage(IndexPage page, StoreValidator validator, long[] counts, long[] expiring)
    {
        var hashes = new HashSet<(ulong Hash, int Generation)>();
        Span<int> neighbours = stackalloc int[IndexPage.HomeCount];
        Span<int> stashed = stackalloc int[IndexPage.HomeCount];
        Span<int> stashBuckets = stackalloc int[IndexPage.HomeCount];
        for (int i = 0; i < IndexPage.SlotCount; i++)
        {
            int index = i / Bucket.SlotLast;
            ulong entry = page[index].EntryAt(i % Bucket.SlotLast + 1);
            if (entry == 0)
                continue;
            var header = _records[entry].Header;
            ulong hash = AssertEntry(page, entry, header);
            StoreValidator.Require(
                hashes.Add((hash, Bucket.GenerationOf(entry))), $"a key of shard {Index} has two entries");
            validator.Note(_records[entry], header);
            int generation = Generations.IndexOf(header.Keyspace, Bucket.GenerationOf(entry));
            counts[generation]++;
            expiring[generation] += header.IsExpiring ? 1 : 0;
            int home = IndexPage.HomeIndexOf(hash);
            if (index >= IndexPage.HomeCount)
            {
                stashed[home]++;
                stashBuckets[home] |= 1 << (index - IndexPage.HomeCount);
            }
            else if (index != home)
            {
                StoreValidator.Require(
                    index == IndexPage.NeighbourIndexOf(home), $"an entry of home {home} lies in bucket {index}");
                neighbours[home]++;
            }
        }

        AssertBuckets(page, neighbours, stashed, stashBuckets);
    }

    private ulong AssertEntry(IndexPage page, ulong entry, RecordHeader header)
    {
        ulong hash = _state.HashOf(_records[entry]);
        StoreValidator.Require(!header.IsDead, $"an entry of shard {Index} points at a dead record");
        StoreValidator.Require(
            Bucket.HasTag(entry, Bucket.TagOf(hash, Bucket.GenerationOf(entry))),
            $"a tag of shard {Index} is not its key's");
        StoreValidator.Require(
            _state.ShardOf(hash) == this && PageOf(hash).Equals(page), $"an entry lies in a foreign page of {Index}");
        return hash;
    }

    private static void AssertBuckets(
        IndexPage page, ReadOnlySpan<int> neighbours, ReadOnlySpan<int> stashed, ReadOnlySpan<int> stashBuckets)
    {
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            var bucket = page[i];
            StoreValidator.Require((bucket.ReadVersion() & 1) == 0, $"bucket {i} is locked");
            if (i >= IndexPage.HomeCount)
            {
                StoreValidator.Require(bucket.HasNoSpill, $"stash bucket {i} counts spilled entries");
                continue;
            }

            StoreValidator.Require(
                bucket.NeighbourCount == neighbours[i],
                $"bucket {i} counts {bucket.NeighbourCount} of {neighbours[i]} entries in the next");
            StoreValidator.Require(
                bucket.StashCount == stashed[i] || bucket.IsStashCountSaturated,
                $"bucket {i} counts {bucket.StashCount} of {stashed[i]} entries in the stash");
            StoreValidator.Require(
                (stashBuckets[i] & ~bucket.StashBuckets) == 0, $"bucket {i} does not know where its entries are");
        }
    }
}
