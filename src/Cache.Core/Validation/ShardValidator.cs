using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Validation;

/// <summary>Checks the invariants of a shard, for tests. No thread may write meanwhile.</summary>
internal sealed class ShardValidator(StoreState state, Shard shard, StoreValidator validator)
{
    private readonly RecordSpace _records = state.Log.Space;

    /// <summary>Throws unless the index is consistent.</summary>
    public void Validate()
    {
        lock (shard.GrowthGate)
        {
            var countByGeneration = shard.CountByGeneration;
            var expiringByGeneration = shard.ExpiringByGeneration;
            long[] counts = new long[countByGeneration.Length];
            long[] expiring = new long[expiringByGeneration.Length];
            for (int position = 0; position < shard.PositionCount;)
            {
                var page = shard.PageAt(position, out int first, out int count);
                StoreValidator.Require(
                    first == position && first % count == 0,
                    $"shard {shard.Index}: position {position} is out of place");
                AssertPage(page, counts, expiring);
                position += count;
            }

            for (int i = 0; i < counts.Length; i++)
            {
                StoreValidator.Require(
                    counts[i] == countByGeneration[i],
                    $"generation {i} of shard {shard.Index} counts {countByGeneration[i]} of {counts[i]}");
                StoreValidator.Require(
                    expiring[i] == expiringByGeneration[i],
                    $"generation {i} of shard {shard.Index}: {expiringByGeneration[i]} expiring of {expiring[i]}");
            }
        }
    }

    private void AssertPage(IndexPage page, long[] counts, long[] expiring)
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
                hashes.Add((hash, Bucket.GenerationOf(entry))), $"a key of shard {shard.Index} has two entries");
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
        ulong hash = state.HashOf(_records[entry]);
        StoreValidator.Require(!header.IsDead, $"an entry of shard {shard.Index} points at a dead record");
        StoreValidator.Require(
            header.Kind <= EntryKind.Stream && (!header.IsCompressed || (header.IsString && !header.IsLarge)),
            $"an entry of shard {shard.Index} is of a kind that nothing makes");
        StoreValidator.Require(
            Bucket.HasTag(entry, Bucket.TagOf(hash, Bucket.GenerationOf(entry))),
            $"a tag of shard {shard.Index} is not its key's");
        StoreValidator.Require(
            state.ShardOf(hash) == shard && shard.HomeOf(hash).Page.Equals(page),
            $"an entry lies in a foreign page of {shard.Index}");
        return hash;
    }

    private static void AssertBuckets(
        IndexPage page, ReadOnlySpan<int> neighbours, ReadOnlySpan<int> stashed, ReadOnlySpan<int> stashBuckets)
    {
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            var bucket = page[i];
            StoreValidator.Require(!Bucket.IsHeld(bucket.ReadVersion()), $"bucket {i} is locked");
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
