using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Curve;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Replaces a few plain values atomically: all of them, or none.</summary>
/// <remarks>
/// Each bucket is locked at the version at which the entry was found there, without waiting, so the order does not
/// matter. Nothing is written before all entries are verified and have room; after that, no write can fail.
/// </remarks>
internal static class OverwriteBatch
{
    /// <summary>Two cache lines for each, and the values, fit in the first-level cache.</summary>
    public const int CountMax = 64;

    /// <returns>False if an entry is absent or not plain, or a lock or room was not had: nothing was done.</returns>
    public static bool TryWrite<TEntries>(StoreState state, byte keyspace, ref TEntries entries)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        Debug.Assert(entries.Count <= CountMax);
        Span<ulong> hashes = stackalloc ulong[entries.Count]; // No longer than needed: it is cleared.
        Span<Overwrite> overwrites = stackalloc Overwrite[hashes.Length];
        for (int i = 0; i < hashes.Length; i++)
        {
            hashes[i] = state.HashOf(entries.GetKey(i), keyspace);
            state.ShardOf(hashes[i]).PrefetchBucket(hashes[i]);
        }

        ulong generations = state.Generations.Word;
        if (!TryFind(state, Generations.Of(keyspace, generations), hashes, overwrites) || !TryLock(overwrites))
            return false;
        ChangeRecorder? recorder = null;
        int placed = 0;
        int written = 0;
        long appendedBytes = 0;
        try
        {
            for (; placed < overwrites.Length; placed++)
            {
                if (!TryPlace(state, keyspace, ref entries, hashes, overwrites, placed))
                    return false;
                appendedBytes += overwrites[placed].AppendedBytes;
            }

            if (state.Listeners?.Journal is { } journal
                && !TryReserve(state, journal, keyspace, generations, overwrites, ref recorder))
            {
                return false;
            }

            for (; written < overwrites.Length; written++)
            {
                state.ShardOf(hashes[written]).Write(
                    overwrites[written], entries.GetKey(written), entries.GetValue(written), ref recorder);
            }
        }
        finally // The caller's entries may throw.
        {
            for (int i = written; i < placed; i++)
                state.ShardOf(hashes[i]).Abandon(overwrites[i]);
            recorder?.End();
            Unlock(overwrites, changed: written != 0);
        }

        foreach (ulong hash in hashes)
            state.Counters.Note(hash, AccessKind.Write);
        state.DrainChanges();

        if (appendedBytes != 0)
            state.Reclaimer.Pace(appendedBytes, keptHash: 0);
        return true;
    }

    private static bool TryFind(
        StoreState state, int generation, ReadOnlySpan<ulong> hashes, Span<Overwrite> overwrites)
    {
        for (int i = 0; i < hashes.Length; i++)
        {
            if (!state.ShardOf(hashes[i]).TryFindOverwrite(hashes[i], generation, out overwrites[i]))
                return false;
            overwrites[i].Record.Prefetch();
        }

        return true;
    }

    private static bool TryLock(Span<Overwrite> overwrites)
    {
        for (int i = 0; i < overwrites.Length; i++)
        {
            if (overwrites[i].TryLockBehind(overwrites[..i]))
                continue;
            Unlock(overwrites[..i], changed: false);
            return false;
        }

        return true;
    }

    private static bool TryReserve(
        StoreState state, ChangeJournal journal, byte keyspace, ulong generations, ReadOnlySpan<Overwrite> overwrites,
        ref ChangeRecorder? recorder)
    {
        recorder = ChangeRecorder.Rent(journal);
        foreach (ref readonly var overwrite in overwrites)
            recorder.Add(Shard.RecordOf(overwrite.Header, overwrite.ValueLength));
        var none = default(EntryLock);
        if (Shard.TryReserve(state, recorder, 1U << keyspace, generations, ref none))
            return true;
        recorder = null;
        return false;
    }

    private static bool TryPlace<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, scoped ReadOnlySpan<ulong> hashes,
        scoped Span<Overwrite> overwrites, int index)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        ref var overwrite = ref overwrites[index];
        var key = entries.GetKey(index);
        return Shard.TryVerify(ref overwrite, key, keyspace)
            && !IsRepeated(overwrites[..index], overwrite)
            && state.ShardOf(hashes[index]).TryPlace(ref overwrite, key.Length, entries.GetValue(index).Length);
    }

    // A key that comes twice: the second would replace what the first has not written yet.
    private static bool IsRepeated(ReadOnlySpan<Overwrite> earlier, in Overwrite overwrite)
    {
        if (overwrite.HoldsHome)
            return false;
        foreach (ref readonly var other in earlier)
        {
            if (other.Record.Address == overwrite.Record.Address)
                return true;
        }

        return false;
    }

    private static void Unlock(ReadOnlySpan<Overwrite> overwrites, bool changed)
    {
        foreach (ref readonly var overwrite in overwrites)
            overwrite.Unlock(changed);
    }
}
