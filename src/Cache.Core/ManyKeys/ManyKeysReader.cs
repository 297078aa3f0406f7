using System.Buffers;
using System.Runtime.CompilerServices;
using Cache.Core.Expiry;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Reads several keys as of one moment.</summary>
/// <remarks>
/// Without a lock: each key is read on its own, and at the end all home buckets must still be at the versions that
/// were read, so that all values were there at one moment. After some failed attempts the homes are locked.
/// </remarks>
internal static class ManyKeysReader
{
    private const int AttemptsMax = 8;

    // Copies of short values that are held back until the locks are left; beyond that, the sink takes them under locks.
    private const int TakenBytesMax = 64 << 20;

    // Fetched ahead of being read: as many lines as a core keeps under way.
    private const int BatchSize = 16;

    public static void Read<TKeys, TSink>(StoreState state, byte keyspace, ref TKeys keys, ref TSink sink)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        int count = keys.Count;
        if (count <= BatchSize)
        {
            Span<KeyRead> few = stackalloc KeyRead[BatchSize];
            Read(state, keyspace, ref keys, ref sink, few[..count]);
            return;
        }

        var reads = ArrayPool<KeyRead>.Shared.Rent(count);
        try
        {
            Read(state, keyspace, ref keys, ref sink, reads.AsSpan(0, count));
        }
        finally
        {
            ArrayPool<KeyRead>.Shared.Return(reads);
        }
    }

    private static void Read<TKeys, TSink>(
        StoreState state, byte keyspace, ref TKeys keys, ref TSink sink, scoped Span<KeyRead> reads)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        for (int i = 0; i < reads.Length; i++)
            reads[i].Hash = state.HashOf(keys.GetKey(i), keyspace);
        for (int attempts = 0; ; attempts++)
        {
            bool isWhole = attempts < AttemptsMax
                ? TryRead(state, keyspace, ref keys, ref sink, reads, out int count)
                : ReadLocked(
                    state, keyspace, ref keys, ref sink, reads,
                    isExclusive: attempts >= AttemptsMax + KeyLocks.AttemptsMax, out count);
            if (isWhole)
            {
                Count(state, keyspace, ref keys, reads[..count]);
                return;
            }

            sink.Restart();
        }
    }

    private static bool TryRead<TKeys, TSink>(
        StoreState state, byte keyspace, ref TKeys keys, ref TSink sink, scoped Span<KeyRead> reads, out int count)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        var generation = state.Generations.Mark(keyspace);
        var now = state.Clock.Now;
        for (count = 0; count < reads.Length && !sink.IsFull; count++)
        {
            int i = count;
            if (i % BatchSize == 0)
                Prefetch(state, reads[i..Math.Min(i + BatchSize, reads.Length)]);
            var shard = state.ShardOf(reads[i].Hash);
            if (shard.TryCopyPlain(keys.GetKey(i), reads[i].Hash, keyspace, ref sink, out var read))
                Advance(ref reads[i], read, ref sink);
            else if (!TryReadElsewhere(
                shard, new EntryKey(keys.GetKey(i), keyspace, reads[i].Hash), ref sink, ref reads[i]))
            {
                return false;
            }
        }

        if (HasAnyPassed(state, now, reads[..count]))
            return false;
        foreach (ref readonly var read in reads[..count])
        {
            if (!read.Home.IsAt(read.HomeVersion))
                return false;
        }

        RoomSteps.At(RoomStep.ReadsVerified);
        // Else a clear took place in between, and some were found and others freed by it.
        return state.Generations.IsStill(keyspace, generation);
    }

    private static void Advance<TSink>(ref KeyRead key, in PlainRead read, ref TSink sink)
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        key.Home = read.Home;
        key.HomeVersion = read.Version;
        key.Holder = read.Home;
        key.Slot = read.Slot;
        key.IsFound = true;
        key.IsSliding = false;
        read.Home.Touch(read.Slot);
        sink.Advance(read.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Its locals would live on the stack of the loop.
    private static bool TryReadElsewhere<TSink>(Shard shard, in EntryKey key, ref TSink sink, ref KeyRead read)
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        if (shard.CopyOnce(key, ByteRange.All, ref sink, Shard.NothingLent, out var snapshot) is not { } status)
        {
            var wait = default(SpinWait);
            shard.WaitForWriter(snapshot, ref wait);
            return false;
        }

        read.Home = snapshot.Home;
        read.HomeVersion = snapshot.HomeVersion;
        read.Holder = snapshot.Holder;
        read.Slot = snapshot.Slot;
        read.IsFound = status != ReadStatus.NotFound;
        read.IsSliding = read.IsFound && snapshot.Header.IsSliding;
        if (read.IsFound)
            snapshot.Holder.Touch(snapshot.Slot);
        if (status == ReadStatus.Found)
            sink.Advance(snapshot.CopiedLength);
        else
            sink.Miss();
        return true;
    }

    private static bool ReadLocked<TKeys, TSink>(
        StoreState state, byte keyspace, ref TKeys keys, ref TSink sink, scoped Span<KeyRead> reads, bool isExclusive,
        out int count)
        where TKeys : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        ulong[] hashes = new ulong[reads.Length];
        for (int i = 0; i < reads.Length; i++)
            hashes[i] = reads[i].Hash;
        using var taken = new TakenValues(state);
        var locks = KeyLocks.Rent();
        count = 0;
        try
        {
            locks.EnterClaimed(state, hashes, isExclusive); // What is claimed is whole until it is replaced.
            var now = state.Clock.Now;
            for (int i = 0; i < reads.Length && !sink.IsFull; i++)
            {
                var key = new EntryKey(keys.GetKey(i), keyspace, reads[i].Hash);
                if (!TryTake(state, key, locks, now, taken, ref reads[i]))
                    return false;
                if (taken.CopiedBytes >= TakenBytesMax)
                    count += Hand(taken, ref sink);
            }
        }
        finally // The caller's keys and sink may throw.
        {
            locks.Exit();
            KeyLocks.Return(locks);
        }

        count += Hand(taken, ref sink);
        return true;
    }

    private static bool TryTake(
        StoreState state, in EntryKey key, KeyLocks locks, in ClockReading now, TakenValues taken, ref KeyRead read)
    {
        var shard = state.ShardOf(key.Hash);
        var entry = default(EntryLock);
        if (!shard.TryLockToReadIn(locks, key, now, ref entry))
            return false;
        try
        {
            read.IsFound = entry.IsFound;
            read.IsSliding = entry.IsFound && entry.Header.IsSliding;
            taken.Take(entry);
            return true;
        }
        finally // It may have removed an expired entry, which others must see whatever comes next.
        {
            shard.Unlock(ref entry);
        }
    }

    /// <returns>The number of values that the sink took before it was full.</returns>
    private static int Hand<TSink>(TakenValues taken, ref TSink sink)
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        int count = 0;
        for (; count < taken.Count && !sink.IsFull; count++)
        {
            if (!taken.Exists(count))
            {
                sink.Miss();
                continue;
            }

            var value = taken[count];
            value.CopyTo(sink.GetSpan(value.Length));
            sink.Advance(value.Length);
        }

        taken.Clear();
        return count;
    }

    /// <summary>Whether a found entry has expired since the reading began.</summary>
    /// <remarks>
    /// Then another entry with the same expiry, read later, may have been found expired. If a home has another version
    /// by now, the attempt fails in any case.
    /// </remarks>
    private static bool HasAnyPassed(StoreState state, ClockReading since, ReadOnlySpan<KeyRead> reads)
    {
        if (state.Clock.Now == since)
            return false;
        foreach (ref readonly var read in reads)
        {
            if (read.IsFound
                && state.ShardOf(read.Hash).HasPassed(read.Home, read.HomeVersion, read.Holder, read.Slot))
            {
                return true;
            }
        }

        return false;
    }

    private static void Prefetch(StoreState state, Span<KeyRead> reads)
    {
        foreach (ref readonly var read in reads)
            state.ShardOf(read.Hash).PrefetchBucket(read.Hash);
        foreach (ref readonly var read in reads)
            state.ShardOf(read.Hash).PrefetchRecord(read.Hash);
    }

    private static void Count<TKeys>(StoreState state, byte keyspace, ref TKeys keys, scoped Span<KeyRead> reads)
        where TKeys : struct, IKeySource, allows ref struct
    {
        for (int i = 0; i < reads.Length; i++)
        {
            if (reads[i].IsFound)
                state.Counters.Hit(reads[i].Hash);
            else
                state.Counters.Miss(reads[i].Hash);
            if (reads[i].IsSliding)
                state.ShardOf(reads[i].Hash).Slide(new EntryKey(keys.GetKey(i), keyspace, reads[i].Hash));
        }
    }

    /// <summary>What is remembered of one key.</summary>
    private struct KeyRead
    {
        public ulong Hash;
        public Bucket Home;
        public uint HomeVersion;
        public Bucket Holder;
        public int Slot;
        public bool IsFound;
        public bool IsSliding;
    }
}
