using System.Buffers;
using Cache.Core.Changes;
using Cache.Core.Curve;
using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Replaces many plain values in place, atomically: all of them, or none.</summary>
/// <remarks>
/// For more keys than <see cref="OverwriteBatch"/> takes. Their homes are locked in order; only if each value then
/// fits the record of its entry, all are written. So no new record is made, and none has to be reclaimed. Others read
/// through the locks until the first value is written.
/// </remarks>
internal static class ManyKeysOverwriter
{
    // Of a long batch, what was fetched for all keys at the beginning has left the nearer caches again. As many lines
    // as a core keeps under way.
    private const int Ahead = 16;

    /// <returns>False if an entry is absent, not plain, or of another size: nothing was done.</returns>
    public static bool TryWrite<TEntries>(
        StoreState state, byte keyspace, ref TEntries entries, ReadOnlySpan<ulong> hashes)
        where TEntries : struct, IEntrySource, allows ref struct
    {
        var overwrites = ArrayPool<HeldOverwrite>.Shared.Rent(hashes.Length);
        var locks = KeyLocks.Rent();
        ChangeRecorder? recorder = null;
        try
        {
            locks.EnterReadable(state, hashes, default);
            for (int i = 0; i < hashes.Length; i++)
            {
                if (i + Ahead < hashes.Length)
                    state.ShardOf(hashes[i + Ahead]).PrefetchRecord(hashes[i + Ahead]);
                var key = new EntryKey(entries.GetKey(i), keyspace, hashes[i]);
                if (!state.ShardOf(key.Hash).TryFindOverwrite(
                    locks, key, entries.GetValue(i).Length, out overwrites[i]))
                {
                    return false;
                }
            }

            var journal = state.Listeners?.Journal;
            if (journal is not null
                && !TryReserve(state, journal, locks, keyspace, overwrites.AsSpan(0, hashes.Length), ref recorder))
            {
                return false;
            }

            locks.BeginChanges();
            if (state.Listeners?.Journal is { } attached && attached != journal)
                return false; // Who attached it has perhaps read through until now.
            for (int i = 0; i < hashes.Length; i++)
            {
                if (i + Ahead < hashes.Length)
                    overwrites[i + Ahead].Record.Prefetch();
                state.ShardOf(hashes[i]).OverwriteHeld(overwrites[i], entries.GetValue(i), ref recorder);
                state.Counters.Note(hashes[i], AccessKind.Write);
            }

            return true;
        }
        finally // The caller's entries may throw.
        {
            recorder?.End();
            locks.Exit();
            KeyLocks.Return(locks);
            ArrayPool<HeldOverwrite>.Shared.Return(overwrites);
            state.DrainChanges();
        }
    }

    private static bool TryReserve(
        StoreState state, ChangeJournal journal, KeyLocks locks, byte keyspace, ReadOnlySpan<HeldOverwrite> overwrites,
        ref ChangeRecorder? recorder)
    {
        recorder = ChangeRecorder.Rent(journal);
        foreach (ref readonly var overwrite in overwrites)
            recorder.Add(Shard.RecordOf(overwrite.Record.Header, overwrite.ValueLength));
        var none = default(EntryLock);
        if (Shard.TryReserve(state, recorder, 1U << keyspace, locks.Generations, ref none))
            return true;
        recorder = null;
        return false;
    }
}
