using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Frees the entries that a clear left behind.</summary>
internal sealed partial class Shard
{
    /// <summary>Frees the cleared entries of one page, and moves on to the next.</summary>
    /// <param name="cleared">By keyspace, one bit for each generation.</param>
    /// <param name="cursor">The page.</param>
    /// <returns>False if it was the shard's last.</returns>
    public bool FreeCleared(ReadOnlySpan<byte> cleared, ref ScanCursor cursor)
    {
        uint generations = UnionOf(cleared);
        lock (_growthGate)
        {
            if (_state.IsDisposed)
                return false;
            var page = PageAt(ref cursor, out int first, out int count);
            Span<byte> present = stackalloc byte[CacheOptions.KeyspaceCountMax];
            if (!IsFreeOf(page, generations))
                FreeCleared(page, present);
            return TryMoveToNextPage(ref cursor, first, count);
        }
    }

    /// <summary>Frees the cleared entries of the page of a hash, which is full.</summary>
    /// <returns>Whether there were any.</returns>
    private bool TryFreeCleared(ulong hash)
    {
        if (!_generations.HasCleared)
            return false;
        Span<byte> cleared = stackalloc byte[CacheOptions.KeyspaceCountMax];
        _generations.CopyCleared(cleared);
        RoomSteps.At(RoomStep.ClearedKnown);
        lock (_growthGate)
        {
            _state.ThrowIfDisposed();
            var page = PageOf(hash);
            return !IsFreeOf(page, UnionOf(cleared)) && FreeCleared(page, cleared);
        }
    }

    /// <summary>Frees what was cleared in a home that locks hold, or in its page, to have the slots.</summary>
    /// <remarks>
    /// Of a page that is held in part, only what lies in its home: each key that a transaction found there when it was
    /// locked has a slot again, also after a clear by the transaction itself. What another thread has cleared since
    /// the locks were taken is still theirs.
    /// </remarks>
    /// <returns>Whether there was anything.</returns>
    private bool TryFreeClearedHeld(KeyLocks locks, Bucket home)
    {
        Debug.Assert(home.IsChanging, "The homes of the keys are held.");
        if (!_generations.HasCleared)
            return false;
        Span<byte> cleared = stackalloc byte[CacheOptions.KeyspaceCountMax];
        _generations.CopyCleared(cleared);
        for (int keyspace = 0; keyspace < cleared.Length; keyspace++)
            cleared[keyspace] &= (byte)~(1 << Generations.Of(keyspace, locks.Generations));
        var page = home.Page;
        bool isWhole = locks.IsExclusive;
        int count = (isWhole ? IndexPage.BucketCount : 1) * Bucket.SlotLast;
        bool isAny = false;
        for (int i = 0; i < count; i++)
        {
            var bucket = isWhole ? page[i / Bucket.SlotLast] : home;
            int slot = i % Bucket.SlotLast + Bucket.SlotFirst;
            if (!IsCleared(bucket.EntryAt(slot), cleared, out var record))
                continue;
            var own = page.HomeOf(_state.HashOf(record));
            if (!isWhole && !own.Equals(home))
                continue;
            var block = BlockOf(record);
            var stub = ObjectOf(record);
            FreeCleared(page, bucket.IndexInPage, slot, own.IndexInPage);
            locks.MarkChanged(bucket);
            locks.MarkChanged(own);
            if (!block.IsNull)
                _state.Release(block);
            if (!stub.IsNone)
                _state.Objects!.Retire(stub);
            isAny = true;
        }

        return isAny;
    }

    private bool IsCleared(ulong entry, ReadOnlySpan<byte> cleared, out Record record)
    {
        record = default;
        if (entry == 0)
            return false;
        record = _records[entry];
        return (cleared[record.Header.Keyspace] >> Bucket.GenerationOf(entry) & 1) != 0;
    }

    private static LargeBlock BlockOf(Record record)
    {
        var header = record.Header;
        return header.IsLarge ? LargeBlock.ReadStub(record.ValueOf(header)) : default;
    }

    private static ObjectStub ObjectOf(Record record)
    {
        var header = record.Header;
        return header.IsPaged ? ObjectStub.Read(record.ValueOf(header)) : default;
    }

    private static uint UnionOf(ReadOnlySpan<byte> cleared)
    {
        uint generations = 0;
        foreach (byte ofKeyspace in cleared)
            generations |= ofKeyspace;
        return generations;
    }

    /// <summary>Whether nothing of some generations lies in a page, nor is being written there.</summary>
    /// <remarks>
    /// A thread that locks a bucket after its version was read here reads the generations as they are now: the
    /// compare-exchange of the version and the exchange of the generations are fences.
    /// </remarks>
    private static bool IsFreeOf(IndexPage page, uint generations)
    {
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            var bucket = page[i];
            uint version = bucket.ReadVersion();
            if (Bucket.IsHeld(version)) // Also one that others read through: its holder may be about to write.
                return false;
            for (int slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
            {
                ulong entry = bucket.EntryAt(slot);
                if (entry != 0 && (generations >> Bucket.GenerationOf(entry) & 1) != 0)
                    return false;
            }

            if (!bucket.IsAt(version))
                return false;
        }

        return true;
    }

    /// <summary>Frees what is cleared in a page at the moment when all of it is locked.</summary>
    /// <remarks>
    /// What was known before may be old: a generation that was freed meanwhile may be in use again. While the page is
    /// locked, nothing is written in it, so that all it holds of a generation that is cleared then was cleared.
    /// </remarks>
    /// <param name="page">The page.</param>
    /// <param name="cleared">Takes what is cleared then.</param>
    private bool FreeCleared(IndexPage page, Span<byte> cleared)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        Span<uint> versions = stackalloc uint[IndexPage.BucketCount];
        Span<LargeBlock> blocks = stackalloc LargeBlock[IndexPage.SlotCount];
        Span<ObjectStub> objects = stackalloc ObjectStub[IndexPage.SlotCount];
        int blockCount = 0, objectCount = 0;
        ulong changed = 0; // One bit for each bucket.
        LockAll(page, versions);
        _generations.CopyCleared(cleared);
        uint generations = UnionOf(cleared);
        for (int i = 0; i < IndexPage.SlotCount; i++)
        {
            int index = i / Bucket.SlotLast;
            int slot = i % Bucket.SlotLast + Bucket.SlotFirst;
            if (slot == Bucket.SlotFirst && index + 1 < IndexPage.BucketCount)
                PrefetchRecords(page[index + 1]);
            ulong entry = page[index].EntryAt(slot);
            if (entry == 0 || (generations >> Bucket.GenerationOf(entry) & 1) == 0)
                continue;
            var record = _records[entry];
            var header = record.Header;
            if ((cleared[header.Keyspace] >> Bucket.GenerationOf(entry) & 1) == 0)
                continue;
            int home = IndexPage.HomeIndexOf(_state.HashOf(record));
            changed |= (1UL << index) | (1UL << home);
            if (header.IsLarge)
                blocks[blockCount++] = LargeBlock.ReadStub(record.ValueOf(header));
            if (header.IsPaged)
                objects[objectCount++] = ObjectStub.Read(record.ValueOf(header));
            FreeCleared(page, index, slot, home);
        }

        for (int i = 0; i < IndexPage.BucketCount; i++)
            page[i].Unlock(versions[i], (changed >> i & 1) != 0);
        foreach (var block in blocks[..blockCount])
            _state.Release(block);
        foreach (var stub in objects[..objectCount])
            _state.Objects!.Retire(stub);
        return changed != 0;
    }

    private void FreeCleared(IndexPage page, int index, int slot, int home)
    {
        Debug.Assert(page[index].IsChanging && page[home].IsChanging, "All buckets of the page are locked.");
        ulong entry = page[index].EntryAt(slot);
        var record = _records[entry];
        var header = record.Header;
        page[index].SetEntry(slot, 0);
        if (index != home)
            RemoveSpill(page[home], index);
        int generation = Bucket.GenerationOf(entry);
        long left = Interlocked.Decrement(ref CountAt(header.Keyspace, generation));
        Debug.Assert(left >= 0, "What goes was counted when it came.");
        CountExpiring(header.Keyspace, generation, header.IsExpiring, after: false);
        long largeBytes = 0;
        if (header.IsLarge)
        {
            var block = LargeBlock.ReadStub(record.ValueOf(header));
            _state.Shares.NoteDropped(block);
            largeBytes = block.SizeBytes;
        }

        if (header.IsPaged)
            largeBytes = _state.Objects!.EndAccounting(ObjectStub.Read(record.ValueOf(header)));
        _log.Retire(record, header, largeBytes);
    }
}
