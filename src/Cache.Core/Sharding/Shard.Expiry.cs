using Cache.Core.Contracts;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Expiry of a shard's entries: on the way of a read or write, and for the sweep.</summary>
internal sealed partial class Shard
{
    // Written with interlocked operations under the bucket of the entry; read for statistics.
    private readonly long[] _expiringByGeneration =
        new long[CacheOptions.KeyspaceCountMax * Generations.PerKeyspace];

    private long _expirations;

    public long ExpiringCountOf(int keyspace) =>
        Volatile.Read(ref _expiringByGeneration[Generations.IndexOf(keyspace, _generations.Of(keyspace))]);

    /// <summary>The expiry of an entry that is written now.</summary>
    public RecordExpiry ExpiryOf(long expiresAtMs, long slidingMs)
    {
        if (slidingMs == 0)
            return new RecordExpiry(expiresAtMs, expiresAtMs, 0);
        long nowMs = _state.Clock.ReadMs();
        long deadlineMs = nowMs + Math.Min(slidingMs, long.MaxValue - nowMs);
        if (expiresAtMs != 0)
            deadlineMs = Math.Min(deadlineMs, expiresAtMs);
        return new RecordExpiry(deadlineMs, expiresAtMs, slidingMs);
    }

    /// <summary>Whether an expiry that is about to be given has passed already.</summary>
    public bool IsPast(in RecordExpiry expiry) => expiry.IsExpiring && expiry.DeadlineMs <= _state.Clock.ReadMs();

    /// <summary>Gives the locked entry another expiry and leaves its value.</summary>
    public WriteStatus Rewrite(ref EntryLock entry, in EntryKey key, in RecordExpiry expiry)
    {
        var header = entry.Header;
        StagedRecord staged;
        if (Record.SizeOf(key.Bytes.Length, header.ValueLength, expiry) <= header.RecordSize)
        {
            // In place even if much of a short record is unused then: an expiry is taken away without any room.
            staged = new StagedRecord(
                entry.Record, header.With(expiry, header.ValueLength, header.IsLarge), expiry, isInPlace: true);
        }
        else if (!TryStage(ref entry, key, header.ValueLength, header.IsLarge, expiry, leaveRoom: false, out staged))
        {
            // Without any room, an entry could not even be told to go.
            entry.MayOverdraw = true;
            return WriteStatus.OutOfMemory;
        }

        if (!staged.IsInPlace)
            entry.Record.ValueOf(header).CopyTo(staged.Value);
        PublishCopy(ref entry, key, staged, entry.Block);
        return WriteStatus.Done;
    }

    /// <summary>Removes a record of a sealed segment if it is due.</summary>
    public void RemoveIfDue(Record record, ulong hash)
    {
        var entry = default(EntryLock);
        if (!TryLockRecord(record, hash, ref entry))
            return;
        RemoveIfCleared(ref entry);
        RemoveIfExpired(ref entry);
        Unlock(ref entry);
    }

    /// <summary>Removes the entry of a key if it has expired.</summary>
    public void RemoveIfExpired(in EntryKey key)
    {
        var entry = default(EntryLock);
        Lock(key, ref entry);
        Unlock(ref entry);
    }

    private void RemoveIfExpired(ref EntryLock entry)
    {
        if (!entry.IsFound || !entry.Header.IsExpiring
            || entry.Record.DeadlineMsOf(entry.Header) > _state.Clock.NowMs)
        {
            return;
        }

        RemoveLocked(ref entry);
        Interlocked.Increment(ref _expirations);
    }

    // Not expired, nor evicted: its keyspace was cleared since it was written.
    private void RemoveIfCleared(ref EntryLock entry)
    {
        if (entry.IsFound && _generations.Of(entry.Header.Keyspace) != entry.Generation)
            RemoveLocked(ref entry);
    }

    private void CountExpiring(int keyspace, int generation, bool before, bool after)
    {
        if (before != after)
            Interlocked.Add(ref _expiringByGeneration[Generations.IndexOf(keyspace, generation)], after ? 1 : -1);
    }
}
