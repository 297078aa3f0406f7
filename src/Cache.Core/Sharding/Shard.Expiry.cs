using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Expiry;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Expiry of a shard's entries: on the way of a read or write, and for the sweep.</summary>
internal sealed partial class Shard
{
    // The part of a sliding interval by which a deadline may be behind: what is read no more expires so much earlier.
    private const int RenewalDivisor = 128;

    // Written with interlocked operations under the bucket of the entry; read for statistics.
    private readonly long[] _expiringByGeneration = CreateCounts();

    public long ExpiringCountOf(int keyspace) =>
        Volatile.Read(ref ExpiringCountAt(keyspace, _generations.Of(keyspace)));

    /// <summary>The expiry of an entry that is written now.</summary>
    public RecordExpiry ExpiryOf(in EntryOptions options)
    {
        long deadline = Deadline.OfStore(options.ExpiresAtMs);
        if (options.ExpiresAtUnixMs != 0)
        {
            long moment = Deadline.OfWall(options.ExpiresAtUnixMs);
            // Of two, the one that is the earlier now: a record has room for one.
            if (deadline == Deadline.None || _state.Clock.Read().ToStoreMs(moment) < deadline)
                deadline = moment;
        }

        return ExpiryOf(deadline, options.SlidingMs);
    }

    /// <summary>The same of a deadline of either clock.</summary>
    public RecordExpiry ExpiryOf(long deadline, long slidingMs)
    {
        if (slidingMs == 0)
            return new RecordExpiry(deadline, deadline, 0);
        return new RecordExpiry(RenewedDeadline(deadline, slidingMs, _state.Clock.ReadMs()), deadline, slidingMs);
    }

    private static long RenewedDeadline(long absolute, long slidingMs, long nowMs)
    {
        long deadlineMs = nowMs + Math.Min(slidingMs, long.MaxValue - nowMs);
        return absolute > 0 ? Math.Min(deadlineMs, absolute) : deadlineMs;
    }

    /// <summary>Whether an expiry that is about to be given has passed already.</summary>
    public bool IsPast(in RecordExpiry expiry)
    {
        if (!expiry.IsExpiring || IsFarAhead(expiry))
            return false;
        if (!expiry.HasMoment)
            return expiry.DeadlineMs <= _state.Clock.ReadMs();
        var now = _state.Clock.Read();
        return expiry.IsPast(now.StoreMs, now.UnixMs);
    }

    private bool IsFarAhead(in RecordExpiry expiry) => _state.Clock.IsFarAhead(expiry.DeadlineMs)
        && (!expiry.HasMoment || _state.Clock.IsFarAhead(expiry.AbsoluteMs));

    /// <summary>What both clocks show to a read.</summary>
    public ClockReading Now => _state.Clock.Now;

    /// <summary>Whether what was found in a slot has expired since, or may be another entry's.</summary>
    /// <remarks>version: That of the home when it was found.</remarks>
    public bool HasPassed(Bucket home, uint version, Bucket holder, int slot)
    {
        ulong entry = holder.EntryAt(slot);
        if (entry == 0)
            return true; // Removed since.
        var record = _records[entry];
        var header = record.Header;
        return !home.IsAt(version) // From here on the header can be trusted, and with it where the expiry lies.
            || (header.IsExpiring && HasPassed(record.ExpiryOf(header)));
    }

    /// <summary>Gives the locked entry another expiry and leaves its value, of whatever kind.</summary>
    /// <remarks>shape: What is told of it.</remarks>
    public WriteStatus Rewrite(ref EntryLock entry, in EntryKey key, in RecordExpiry expiry, in ChangeShape shape)
    {
        entry.AssertHeld();
        Debug.Assert(entry.IsFound);
        var header = entry.Header;
        StagedRecord staged;
        if (Record.SizeOf(key.Bytes.Length, header.ValueLength, expiry) <= header.RecordSize)
        {
            // In place even if much of a short record is unused then: an expiry is taken away without any room.
            staged = new StagedRecord(entry.Record, header.WithExpiry(expiry), expiry, isInPlace: true)
            {
                Kind = shape.Kind,
            };
        }
        else if (!TryStageUntold(
            ref entry, key, header.WithExpiry(expiry), expiry, leaveRoom: false, shape.Kind, out staged))
        {
            // Without any room, an entry could not even be told to go.
            entry.MayOverdraw = true;
            return WriteStatus.OutOfMemory;
        }

        if (!TryReserve(ref entry, key, expiry, shape))
        {
            Abandon(staged);
            return WriteStatus.OutOfMemory;
        }

        entry.KeepsObject = true;
        PublishCopy(ref entry, key, staged, entry);
        return WriteStatus.Done;
    }

    /// <summary>Whether a read has to renew a sliding expiry.</summary>
    /// <remarks>
    /// Not while the deadline would move by less than a small part of the interval: a renewal takes the lock, is a
    /// change for the journal, and would come with each read of an entry in use.
    /// </remarks>
    private bool IsRenewalDue(in RecordExpiry expiry)
    {
        long graceMs = GraceMsOf(expiry);
        if (graceMs <= 0)
            return true;
        long nowMs = _state.Clock.NowMs;
        return RenewedDeadline(expiry.AbsoluteMs, expiry.SlidingMs, nowMs) - expiry.DeadlineMs > graceMs;
    }

    // The coarse time may be a tick late. Where that is more than the part, each read renews.
    private static long GraceMsOf(in RecordExpiry expiry) => expiry.SlidingMs / RenewalDivisor - CoarseClock.TickMs;

    /// <summary>Whether a plain entry with an expiry may be read as it is: it is live, and not to be renewed.</summary>
    /// <remarks>Of torn bytes anything: the caller compares the version afterwards.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A compare for each entry that expires.
    private bool IsLiveAsItIs(Record record, RecordHeader header) =>
        header.IsSliding ? IsSlidingLive(record, header) : !_state.Clock.HasPassed(record.DeadlineMsOf(header));

    [MethodImpl(MethodImplOptions.NoInlining)] // Its locals would lengthen the read of all others.
    private bool IsSlidingLive(Record record, RecordHeader header)
    {
        var expiry = record.ExpiryOf(header);
        // Mostly it was renewed so lately that it lives and need not be renewed again: one compare tells both.
        long restMs = expiry.DeadlineMs - _state.Clock.NowMs;
        return (restMs >= expiry.SlidingMs - GraceMsOf(expiry) && !expiry.HasMoment)
            || (!HasPassed(expiry) && !IsRenewalDue(expiry));
    }

    /// <summary>Renews the sliding expiry of an entry that was read.</summary>
    /// <remarks>Waits for no claim: what is claimed keeps the expiry that it has when its new value is there.</remarks>
    public void Slide(in EntryKey key)
    {
        var slide = default(SlideOperation);
        var entry = default(EntryLock);
        try
        {
            WriteStatus status;
            do
            {
                LockToRead(key, ref entry);
                status = RunAndUnlock(key, ref entry, ref slide);
            }
            while (entry.Obstacle != Obstacle.None && TryOvercome(key, ref entry, ref status));
        }
        finally // The store may have been disposed.
        {
            EndWrite(key, ref entry);
        }
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
        LockToRead(key, ref entry); // For a read, which waits for no claim.
        Unlock(ref entry);
        Listeners?.Drain();
    }

    private void RemoveIfExpired(ref EntryLock entry)
    {
        if (!entry.IsFound || !entry.Header.IsExpiring || !HasPassed(entry.Record.ExpiryOf(entry.Header)))
            return;
        RemoveExpired(ref entry);
    }

    private void RemoveIfExpired(ref EntryLock entry, in ClockReading now)
    {
        if (!entry.IsFound || !entry.Record.ExpiryOf(entry.Header).IsPast(now.StoreMs, now.UnixMs))
            return;
        RemoveExpired(ref entry);
    }

    private void RemoveExpired(ref EntryLock entry)
    {
        Debug.Assert(entry.IsFound && entry.Header.IsExpiring);
        entry.Set?.BeginChange(entry.Home, entry.Holder);
        RemoveLocked(ref entry, ChangeCause.Expired);
        Interlocked.Increment(ref _counters.Expirations);
    }

    // By the coarse clock, as all reads see it.
    private bool HasPassed(in RecordExpiry expiry) => _state.Clock.HasPassed(expiry.DeadlineMs)
        || (expiry.IsSliding && expiry.HasMoment && _state.Clock.HasPassed(expiry.AbsoluteMs));

    // With its slot.
    private long MemoryOf(in ReadSnapshot snapshot) => snapshot.Slot == 0
        ? 0
        : snapshot.Header.RecordSize + sizeof(ulong) + snapshot.BlockBytes + ObjectBytesOf(snapshot.Object);

    /// <summary>What is known of an entry that was found.</summary>
    public EntryInfo InfoOf(in ReadSnapshot snapshot)
    {
        var info = new EntryInfo
        {
            Version = EntryVersion.Of(
                Bucket.FreeVersionOf(snapshot.HomeVersion), snapshot.Generation, ObjectVersionOf(snapshot.Object)),
            Kind = snapshot.Kind,
            Length = snapshot.Length,
            SlidingMs = snapshot.Expiry.SlidingMs,
            MemoryBytes = MemoryOf(snapshot),
            UseCount = snapshot.Slot == 0 ? 0 : snapshot.Holder.FrequencyOf(snapshot.Slot),
            IsMain = snapshot.Slot != 0 && IsInMain(snapshot.Record),
        };
        if (!snapshot.Expiry.IsExpiring)
            return info;
        var now = _state.Clock.Now;
        return info with
        {
            ExpiresAtMs = now.ToStoreMs(snapshot.Expiry),
            ExpiresAtUnixMs = now.ToUnixMs(snapshot.Expiry),
            AbsoluteUnixMs = snapshot.Expiry.IsSliding ? now.ToUnixMs(snapshot.Expiry.AbsoluteMs) : 0,
        };
    }

    // Not expired, nor evicted: its keyspace was cleared since it was written.
    private void RemoveIfCleared(ref EntryLock entry)
    {
        if (entry.IsFound && _generations.Of(entry.Header.Keyspace) != entry.Generation)
            RemoveLocked(ref entry, ChangeCause.Cleared);
    }

    private void CountExpiring(int keyspace, int generation, bool before, bool after)
    {
        if (before == after)
            return;
        long count = Interlocked.Add(ref ExpiringCountAt(keyspace, generation), after ? 1 : -1);
        Debug.Assert(count >= 0, "What goes was counted when it came.");
    }

    /// <summary>By which fields of hashes expire.</summary>
    public FieldClock Fields => _state.Fields;

    // A segment is due when a record in it is, or a field of a hash: the record of a small hash says when its first
    // one is, or the object of a large one. Whoever gives a field a moment notes it afterwards, holding the home of the
    // key; so does who moves the record, which is then as it was, or noted by the other.

    /// <summary>The first moment at which a field in a record expires; 0: none does. Of torn bytes any.</summary>
    public static long FirstMomentOf(SharedState state, Record record, RecordHeader header)
    {
        if (header.Kind != EntryKind.Hash)
            return 0;
        var value = record.ValueOf(header);
        if (header.IsPaged)
            return state.Objects is { } objects ? objects.FirstMomentOf(ObjectStub.Read(value).Number) : 0;
        if ((PackedTable.FlagsOf(value) & PackedTable.TimedFlag) == 0
            || !PackedTable.TryOpen(value, PackedShape.Hash, out var table))
        {
            return 0;
        }

        table.CountTimed(0, out long firstMs);
        return firstMs;
    }

    /// <summary>Notes when the first field in a record expires; the home of its key is held.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each write.
    public void NoteFields(Record record, RecordHeader header)
    {
        if (header.Kind == EntryKind.Hash)
            NoteFieldsOfHash(record, header);
    }

    /// <summary>The same of a large hash, whose object the thread holds.</summary>
    public void NoteFieldsOfHeld(in EntryLock entry)
    {
        long firstMs = _state.Objects!.ViewOf(entry.Object.Number).FirstMoment;
        if (firstMs != 0)
            _log.LowerMoment(_records.SegmentOf(entry.Record), firstMs);
    }

    /// <summary>Notes when the first field of a key's large hash expires.</summary>
    public void NoteFields(in EntryKey key, ObjectStub stub)
    {
        var entry = default(EntryLock);
        LockToRead(key, ref entry);
        if (entry.IsFound && entry.Object == stub)
            NoteFields(entry.Record, entry.Header);
        Unlock(ref entry);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Not of strings.
    private void NoteFieldsOfHash(Record record, RecordHeader header)
    {
        long firstMs = FirstMomentOf(_state, record, header);
        if (firstMs != 0)
            _log.LowerMoment(_records.SegmentOf(record), firstMs);
    }

    private readonly struct SlideOperation : IEntryOperation
    {
        public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
        {
            if (!entry.IsFound || !entry.Header.IsSliding)
                return WriteStatus.NotFound;
            var present = entry.Record.ExpiryOf(entry.Header);
            if (!shard.IsRenewalDue(present))
                return WriteStatus.Done;
            var renewed = shard.ExpiryOf(present.AbsoluteMs, present.SlidingMs);
            return renewed == present ? WriteStatus.Done : shard.Rewrite(ref entry, key, renewed, ChangeShape.None);
        }
    }
}
