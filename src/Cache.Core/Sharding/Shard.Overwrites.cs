using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>Replaces plain values, without what the general write has to carry.</summary>
internal sealed partial class Shard
{
    /// <summary>Replaces a plain entry's value by one that fits its record, unless another thread writes
    /// there.</summary>
    /// <remarks>keepTtl: Whether an expiry that it has stays.</remarks>
    /// <returns>False if it is otherwise: nothing was done.</returns>
    public bool TryOverwriteInPlace(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ReadOnlySpan<byte> value, bool keepTtl)
    {
        var home = HomeOf(hash);
        uint version = home.ReadVersion();
        if ((version & 1) != 0)
            return false;
        uint matches = home.Match(Bucket.TagOf(hash, _generations.Of(keyspace)));
        if (matches == 0)
            return !home.HasNoSpill && TryOverwriteSpilledInPlace(key, hash, keyspace, value, keepTtl);
        int slot = BitOperations.TrailingZeroCount(matches);
        var record = _records[home.EntryAt(slot)];
        record.Prefetch(); // On its way while the lock is taken.
        if (!home.TryLockAt(version))
            return false;
        var header = record.Header;
        bool fits = IsPlain(record, header, key, keyspace) && FitsInPlace(header, key.Length, value.Length);
        if (fits)
        {
            if (Listeners is not null)
                return OverwriteTold(home, version, slot, record, header, key, value);
            WriteInPlace(record, header, value);
            home.Touch(slot);
        }
        else if (header.IsExpiring)
        {
            return TryOverwriteTimed(home, version, slot, record, header, key, hash, value, keyspace, keepTtl);
        }

        home.Unlock(version, changed: fits);
        return fits;
    }

    /// <summary>Replaces a plain entry's value and expiry by ones that fit its record.</summary>
    /// <remarks>
    /// As <see cref="TryOverwriteInPlace"/>; what needs more than that is left to the general write: a record of
    /// another size, an entry that has expired, a claimed key, a moment that is near or has passed, listeners.
    /// </remarks>
    /// <returns>False if it is otherwise: nothing was done.</returns>
    public bool TryOverwriteTimed(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        if (!options.HasOneDeadline)
            return TryOverwriteAnyTimed(key, hash, keyspace, value, options);
        long deadline = options.ExpiresAtMs != 0
            ? Deadline.OfStore(options.ExpiresAtMs)
            : Deadline.OfWall(options.ExpiresAtUnixMs);
        var home = HomeOf(hash);
        uint version = home.ReadVersion();
        uint matches = home.Match(Bucket.TagOf(hash, _generations.Of(keyspace)));
        if (matches == 0)
            return !home.HasNoSpill && TryOverwriteAnyTimed(key, hash, keyspace, value, options);
        int slot = BitOperations.TrailingZeroCount(matches);
        var record = _records[home.EntryAt(slot)];
        record.Prefetch(); // On its way while the clock is looked at and the lock is taken.
        if (!_state.Clock.IsFarAhead(deadline) || (version & 1) != 0 || !home.TryLockAt(version))
            return false;
        var header = record.Header;
        if (!header.IsTimed || Listeners is not null)
        {
            home.Unlock(version, changed: false);
            return Listeners is null && TryOverwriteAnyTimed(key, hash, keyspace, value, options);
        }

        bool fits = header.IsPlain(RecordHeader.KeyPatternOf(key.Length, keyspace)) && record.KeyEquals(key)
            && Fits(header.RecordSize, Record.SizeOfTimed(key.Length, value.Length))
            && !_state.Clock.HasPassed(record.DeadlineMsOf(header)) && !_state.Claims.IsTaken(hash);
        if (fits)
        {
            WriteInPlace(record, header, value);
            record.WriteDeadline(header, deadline);
            _log.NoteDeadline(record, deadline);
            home.Touch(slot);
        }

        home.Unlock(version, changed: fits);
        return fits;
    }

    // Not inlined: what it needs on the stack would be made ready by every write.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryOverwriteAnyTimed(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        if (!TryFindOverwrite(hash, _generations.Of(keyspace), out var overwrite))
            return false;
        var expiry = ExpiryOf(options);
        if (!IsFarAhead(expiry) || !overwrite.TryLock())
            return false;
        overwrite.Header = overwrite.Record.Header;
        return TryOverwriteTimed(overwrite, key, hash, value, keyspace, options.KeepTtl, expiry);
    }

    // Not inlined: what it needs on the stack would be made ready by every write.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryOverwriteTimed(
        Bucket home, uint version, int slot, Record record, RecordHeader header, ReadOnlySpan<byte> key, ulong hash,
        ReadOnlySpan<byte> value, byte keyspace, bool keepTtl) =>
        TryOverwriteTimed(
            Overwrite.OfLocked(home, version, slot, record, header), key, hash, value, keyspace, keepTtl);

    private bool TryOverwriteTimed(
        in Overwrite overwrite, ReadOnlySpan<byte> key, ulong hash, ReadOnlySpan<byte> value, byte keyspace,
        bool keepTtl) =>
        TryOverwriteTimed(overwrite, key, hash, value, keyspace, keepTtl, default);

    /// <summary>Replaces the value and the expiry of what is locked, and unlocks it.</summary>
    private bool TryOverwriteTimed(
        in Overwrite overwrite, ReadOnlySpan<byte> key, ulong hash, ReadOnlySpan<byte> value, byte keyspace,
        bool keepTtl, in RecordExpiry wanted)
    {
        var record = overwrite.Record;
        var header = overwrite.Header;
        bool fits = Listeners is null && header.IsPlain(RecordHeader.KeyPatternOf(key.Length, keyspace))
            && record.KeyEquals(key) && !_state.Claims.IsTaken(hash);
        if (fits)
        {
            var present = record.ExpiryOf(header);
            var expiry = keepTtl ? present : wanted;
            fits = !(header.IsExpiring && HasPassed(present))
                && Fits(header.RecordSize, Record.SizeOf(key.Length, value.Length, expiry));
            if (fits)
                WriteTimed(overwrite, value, expiry);
        }

        overwrite.Unlock(changed: fits);
        return fits;
    }

    // In the order of Publish: see there.
    private void WriteTimed(in Overwrite overwrite, ReadOnlySpan<byte> value, in RecordExpiry expiry)
    {
        var record = overwrite.Record;
        var before = overwrite.Header;
        var header = before.WithValueLength(value.Length).WithExpiry(expiry);
        value.CopyTo(record.ValueOf(header));
        record.WriteExpiry(header, expiry);
        int generation = Bucket.GenerationOf(overwrite.Holder.EntryAt(overwrite.Slot));
        CountExpiring(header.Keyspace, generation, before.IsExpiring, header.IsExpiring);
        record.Header = header;
        _log.Recount(record, before, header, expiry, largeBytes: 0);
        overwrite.Holder.Touch(overwrite.Slot);
    }

    /// <summary>Looks where the entry of a hash may be, without a lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The first loads of a hot path.
    public bool TryFindOverwrite(ulong hash, int generation, out Overwrite overwrite)
    {
        overwrite = default;
        overwrite.Home = overwrite.Holder = HomeOf(hash);
        overwrite.HomeVersion = overwrite.HolderVersion = overwrite.Home.ReadVersion();
        if ((overwrite.HomeVersion & 1) != 0)
            return false;
        uint matches = overwrite.Home.Match(Bucket.TagOf(hash, generation));
        if (matches == 0)
            return !overwrite.Home.HasNoSpill && TryFindSpilledOverwrite(hash, generation, ref overwrite);
        overwrite.Slot = BitOperations.TrailingZeroCount(matches);
        overwrite.Record = _records[overwrite.Home.EntryAt(overwrite.Slot)];
        return true;
    }

    /// <summary>Whether what was found is the key's plain entry.</summary>
    /// <remarks>
    /// Its buckets are locked at the versions at which it was found, so it still is what it was. Whether they still are
    /// the key's needs no look at the directory: an entry is in one place only.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A compare of the key, in each overwrite.
    public static bool TryVerify(ref Overwrite overwrite, ReadOnlySpan<byte> key, byte keyspace)
    {
        overwrite.Header = overwrite.Record.Header;
        return IsPlain(overwrite.Record, overwrite.Header, key, keyspace);
    }

    /// <summary>Finds room for the value of a verified entry: in its record if it fits, else in a new one.</summary>
    /// <returns>False if the active segment has none, or the value is a large one.</returns>
    public bool TryPlace(ref Overwrite overwrite, int keyLength, int valueLength)
    {
        overwrite.Target = overwrite.Record;
        overwrite.AppendedBytes = 0;
        overwrite.ValueLength = valueLength;
        if (FitsInPlace(overwrite.Header, keyLength, valueLength))
            return true;
        overwrite.AppendedBytes = Record.SizeOf(keyLength, valueLength, default);
        if (IsLarge(keyLength, valueLength))
            return false;
        var stream = (LogStream)_log[_records.SegmentOf(overwrite.Record)].Stream & LogStream.Main;
        return _log.TryAllocate(_log.OwnStripe, stream, overwrite.AppendedBytes, out overwrite.Target);
    }

    /// <summary>Gives back the room that was found for a value which is not written after all.</summary>
    public void Abandon(in Overwrite overwrite)
    {
        if (!overwrite.IsInPlace)
            _log.Abandon(overwrite.Target, overwrite.AppendedBytes);
    }

    /// <summary>Writes the value of a placed entry.</summary>
    /// <remarks>recorder: Has room for it, if there is a journal.</remarks>
    public void Write(
        in Overwrite overwrite, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, ref ChangeRecorder? recorder)
    {
        ThrowUnless(value.Length == overwrite.ValueLength && key.Length == overwrite.Header.KeyLength);
        if (overwrite.IsInPlace)
        {
            WriteInPlace(overwrite.Record, overwrite.Header, value);
            overwrite.Holder.Touch(overwrite.Slot);
            TellOverwrite(overwrite.Record, ref recorder);
            return;
        }

        int size = overwrite.AppendedBytes;
        var header = RecordHeader.Create(
            key.Length, overwrite.Header.Keyspace, size, value.Length, default, large: false);
        overwrite.Target.Header = header;
        overwrite.Target.WriteKey(key);
        value.CopyTo(overwrite.Target.ValueOf(header));
        ulong tag = Bucket.TagOfEntry(overwrite.Holder.EntryAt(overwrite.Slot));
        overwrite.Holder.SetEntry(overwrite.Slot, Bucket.EntryOf(tag, _records.AddressOf(overwrite.Target)));
        overwrite.Holder.Touch(overwrite.Slot);
        _log.Commit(overwrite.Target, header, default, largeBytes: 0);
        _log.Retire(overwrite.Record, overwrite.Header, largeBytes: 0);
        TellOverwrite(overwrite.Target, ref recorder);
    }

    /// <summary>Finds the plain entry of a key whose home a set of locks holds, if a value fits its record.</summary>
    /// <remarks>Its buckets are then those that will change.</remarks>
    public bool TryFindOverwrite(KeyLocks locks, in EntryKey key, int valueLength, out HeldOverwrite overwrite)
    {
        var home = HomeOf(key.Hash);
        var holder = home;
        int generation = Generations.Of(key.Keyspace, locks.Generations);
        int slot = FindSlot(home, key, generation, out var record, out var header);
        for (ulong wanted = slot == 0 ? home.SpillBuckets : 0; slot == 0 && wanted != 0; wanted &= wanted - 1)
        {
            holder = home.Page[BitOperations.TrailingZeroCount(wanted)];
            if (!locks.TryHold(holder, out _))
                break;
            slot = FindSlot(holder, key, generation, out record, out header);
        }

        overwrite = new HeldOverwrite(home, holder, slot, record, valueLength);
        bool fits = slot != 0 && header.IsPlain(RecordHeader.KeyPatternOf(key.Bytes.Length, key.Keyspace))
            && !header.IsExpiring && FitsInPlace(header, key.Bytes.Length, valueLength);
        if (!fits)
            return false;
        locks.MarkChanged(home);
        if (!holder.Equals(home))
            locks.MarkChanged(holder);
        return true;
    }

    /// <summary>Writes the value of a plain entry whose buckets a set of locks holds.</summary>
    /// <remarks>recorder: Has room for it, if there is a journal.</remarks>
    public void OverwriteHeld(
        in HeldOverwrite overwrite, ReadOnlySpan<byte> value, ref ChangeRecorder? recorder)
    {
        var header = overwrite.Record.Header;
        ThrowUnless(value.Length == overwrite.ValueLength);
        WriteInPlace(overwrite.Record, header, value);
        overwrite.Holder.Touch(overwrite.Slot);
        TellOverwrite(overwrite.Record, ref recorder);
    }

    /// <summary>Tells of a plain value that was replaced.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A test in each overwrite of a batch.
    private void TellOverwrite(Record record, ref ChangeRecorder? recorder)
    {
        if (Listeners is not null || recorder is not null)
            Tell(ref recorder, record, record.Header, ChangeKind.Set, ChangeCause.Written);
    }

    // Not inlined: what it needs on the stack would be made ready by every write.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool OverwriteTold(
        Bucket home, uint version, int slot, Record record, RecordHeader header, ReadOnlySpan<byte> key,
        ReadOnlySpan<byte> value) =>
        OverwriteTold(Overwrite.OfLocked(home, version, slot, record, header), key, value);

    /// <summary>Replaces the value of a locked entry when there are listeners, and unlocks it.</summary>
    /// <returns>False if the journal has no room, or the keyspace is being cleared: nothing was done.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // Apart from the way without listeners.
    private bool OverwriteTold(in Overwrite overwrite, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        byte keyspace = (byte)overwrite.Header.Keyspace;
        int generation = Bucket.GenerationOf(overwrite.Holder.EntryAt(overwrite.Slot));
        var listeners = Listeners;
        var journal = listeners?.Journal;
        var record = RecordOf(overwrite.Header, value.Length);
        var reservation = default(ChangeReservation);
        bool isReserved = journal is not null && journal.TryReserve(journal.SizeOf(record), 1, out reservation);
        bool isDone = journal is null
            || (isReserved && _generations.AreStill(1U << keyspace, Generations.WordOf(keyspace, generation)));
        if (isDone)
        {
            WriteInPlace(overwrite.Record, overwrite.Header, value);
            overwrite.Holder.Touch(overwrite.Slot);
            var note = new ChangeNote
            {
                Key = key,
                Keyspace = keyspace,
                Kind = ChangeKind.Set,
                Cause = ChangeCause.Written,
                EntryKind = overwrite.Header.Kind,
                IsReplaced = true,
            };
            listeners?.Note(note);
        }

        if (isReserved)
        {
            if (isDone)
                journal!.Write(ref reservation, record, key, value);
            journal!.Complete(ref reservation); // Before others see the change: see ChangeJournal.
        }

        overwrite.Unlock(changed: isDone);
        if (isDone)
            listeners?.Drain();
        return isDone;
    }

    // Not inlined: what it needs on the stack would be made ready by every write.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryOverwriteSpilledInPlace(
        ReadOnlySpan<byte> key, ulong hash, byte keyspace, ReadOnlySpan<byte> value, bool keepTtl)
    {
        if (!TryFindOverwrite(hash, _generations.Of(keyspace), out var overwrite) || !overwrite.TryLock())
            return false;
        overwrite.Header = overwrite.Record.Header;
        if (overwrite.Header.IsExpiring)
            return TryOverwriteTimed(overwrite, key, hash, value, keyspace, keepTtl);
        bool fits = TryVerify(ref overwrite, key, keyspace) && FitsInPlace(overwrite.Header, key.Length, value.Length);
        if (fits)
        {
            if (Listeners is not null)
                return OverwriteTold(overwrite, key, value);
            WriteInPlace(overwrite.Record, overwrite.Header, value);
            overwrite.Holder.Touch(overwrite.Slot);
        }

        overwrite.Unlock(changed: fits);
        return fits;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare: an entry outside of its home.
    private bool TryFindSpilledOverwrite(ulong hash, int generation, ref Overwrite overwrite)
    {
        for (ulong wanted = overwrite.Home.SpillBuckets; wanted != 0; wanted &= wanted - 1)
        {
            var bucket = overwrite.Home.Page[BitOperations.TrailingZeroCount(wanted)];
            uint version = bucket.ReadVersion();
            uint matches = bucket.Match(Bucket.TagOf(hash, generation));
            if ((version & 1) != 0)
                return false;
            if (matches == 0)
                continue;
            overwrite.Holder = bucket;
            overwrite.HolderVersion = version;
            overwrite.Slot = BitOperations.TrailingZeroCount(matches);
            overwrite.Record = _records[bucket.EntryAt(overwrite.Slot)];
            return true;
        }

        return false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Two compares.
    private static bool IsPlain(Record record, RecordHeader header, ReadOnlySpan<byte> key, byte keyspace) =>
        header.IsPlain(RecordHeader.KeyPatternOf(key.Length, keyspace)) && !header.IsExpiring && record.KeyEquals(key);

    private static bool FitsInPlace(RecordHeader header, int keyLength, int valueLength) =>
        Fits(header.RecordSize, Record.SizeOf(keyLength, valueLength, default));

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A short copy and one store.
    private static void WriteInPlace(Record record, RecordHeader header, ReadOnlySpan<byte> value)
    {
        Debug.Assert(!header.IsSliding && !header.IsLarge && header.IsRaw);
        var changed = header.WithValueLength(value.Length);
        if (changed != header)
            record.Header = changed;
        value.CopyTo(record.ValueOf(changed));
    }

    // The caller's entries are asked twice: one that is another at the second time would be written over its neighbour.
    private static void ThrowUnless(bool fits)
    {
        if (!fits)
            Throw();

        static void Throw() => throw new InvalidOperationException("A value was changed while it was written.");
    }
}
