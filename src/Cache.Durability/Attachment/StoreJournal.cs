using System.Diagnostics;
using Cache.Core;
using Cache.Core.Changes;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Staging;

namespace Cache.Durability.Attachment;

/// <summary>Stages records of a store's changes.</summary>
/// <remarks>
/// A change is one record; several that take effect atomically are a group, in one chunk. A group or a record that is
/// too long for a chunk has its head in a chunk, and its bytes are written in parts before. A lent value is written
/// only in parts. So each reservation is one place in the order, whatever its length.
/// <code>
///     reservation      Owner             Position             Length     Sequence
///     in a chunk       the chunk         in the chunk         what is    LSN of the place
///     long             the long group    in its own bytes     left       LSN of its head
///     unrecorded       the journal       0                    0          0
/// </code>
/// While nothing is recorded each reservation is counted until it is completed: its change may be made after recording
/// begins again, and would be in no file.
/// </remarks>
/// <param name="staging">Receives the records.</param>
/// <param name="threads">Woken when a record is staged; null if the owner of the journal runs its steps.</param>
/// <param name="changes">Counts them.</param>
internal sealed class StoreJournal(StagingArea staging, JournalThreads? threads, ChangeCounter changes)
    : ChangeJournal
{
    private readonly LongGroupRoom _room = new();
    private readonly LentBytes _lent = new();

    private volatile bool _isCounting = true;

    // The open reservations that were granted while nothing is recorded; interlocked.
    private long _unrecorded;

    /// <summary>Whether it counts changes; else an observer does.</summary>
    public bool IsCounting
    {
        get => _isCounting;
        set => _isCounting = value;
    }

    public override long SizeOf(in ChangeRecord record) =>
        RecordLayout.SizeOf(KindOf(record), FlagsOf(record), record.KeyLength, record.ValueLength);

    public override bool TryReserve(long bytes, int count, out ChangeReservation reservation)
    {
        reservation = default;
        if (!_lent.HasRoom)
            return false;
        bytes = RecordLayout.Aligned(bytes); // A transaction reserves an estimate.
        long size = count > 1 ? RecordLayout.GroupHeadSize + bytes : bytes;
        if (size > StagingArea.RecordBytesMax)
            return TryReserveLong(bytes, out reservation);
        if (!staging.TryReserve((int)size, out var place))
            return false;
        if (place.IsNone)
            return TryPass(out reservation);
        reservation = new ChangeReservation
        {
            Owner = place.Chunk,
            Position = StagedPlace.OffsetOf(place.Lsn),
            Length = size,
            Sequence = (long)place.Lsn,
        };
        if (count > 1)
        {
            RecordLayout.WriteGroupHead(place.Bytes, place.Lsn);
            Take(ref reservation, RecordLayout.GroupHeadSize);
        }

        return true;
    }

    /// <summary>Waits, once changes are recorded again, for writes that began before and are not recorded.</summary>
    public void WaitForUnrecorded()
    {
        Interlocked.MemoryBarrier(); // Pairs with the fence of TryPass.
        var wait = default(SpinWait);
        while (Volatile.Read(ref _unrecorded) != 0)
            wait.SpinOnce();
    }

    public override void WaitForRoom(long bytes)
    {
        if (bytes > Array.MaxLength)
            throw new IOException($"The journal takes no write of {bytes} bytes at once.");
        bool isLong = bytes > StagingArea.RecordBytesMax - RecordLayout.GroupHeadSize;
        // Just under the limit, a single record fits in a chunk, but not a group.
        long inChunk = bytes > StagingArea.RecordBytesMax ? 0 : bytes;
        staging.WaitForRoom((int)Math.Min(inChunk + RecordLayout.GroupHeadSize, StagingArea.RecordBytesMax));
        if (isLong)
            _room.Wait((int)bytes);
        _lent.Wait();
    }

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Debug.Assert(!record.IsLent);
        if (reservation.Owner != this)
            WriteCore(ref reservation, record, key, value);
    }

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value)
    {
        Debug.Assert(record.IsLent);
        if (reservation.Owner == this)
        {
            value.Dispose();
            return;
        }

        var chunk = reservation.Owner as StagingChunk ?? ((LongGroup)reservation.Owner!).Place.Chunk;
        chunk.Add(new LentLongValue((ulong)reservation.Sequence, value, _lent));
        WriteCore(ref reservation, record, key, default);
    }

    public override void Complete(ref ChangeReservation reservation)
    {
        if (_isCounting)
            changes.Add();
        switch (reservation.Owner)
        {
            case StagingChunk chunk:
                End(CompleteIn(chunk, reservation));
                break;
            case LongGroup group:
                group.Complete((int)reservation.Position);
                End(group.Place);
                break;
            case StoreJournal:
                Interlocked.Decrement(ref _unrecorded);
                break;
        }

        reservation = default;
    }

    /// <summary>Records the keyspace of each database number. The caller holds no lock; may wait.</summary>
    /// <exception cref="IOException">Nothing can be recorded, and writes must be refused.</exception>
    public void WriteDatabases(ReadOnlySpan<byte> keyspaces)
    {
        var fields = new RecordFields { Kind = RecordKind.Databases };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, 0, keyspaces.Length);
        StagedPlace place;
        while (!staging.TryReserve(size, out place))
            staging.WaitForRoom(size);
        if (place.IsNone)
            return;
        RecordLayout.Write(place.Bytes, fields, default, keyspaces, keyspaces.Length);
        End(place);
    }

    /// <summary>Records only that the process was alive at this time. The caller holds no lock; may wait.</summary>
    /// <exception cref="IOException">Nothing can be recorded, and writes must be refused.</exception>
    public void WriteVoid()
    {
        StagedPlace place;
        while (!staging.TryReserve(RecordLayout.HeaderSize, out place))
            staging.WaitForRoom(RecordLayout.HeaderSize);
        if (place.IsNone)
            return;
        RecordLayout.WriteVoid(place.Bytes);
        End(place);
    }

    private static RecordKind KindOf(in ChangeRecord record)
    {
        Debug.Assert(record.Kind is >= ChangeKind.Set and <= ChangeKind.Patch or ChangeKind.Elements);
        return (RecordKind)record.Kind; // The same numbers.
    }

    private static RecordFlags FlagsOf(in ChangeRecord record) =>
        (record.ExpiresAtUnixMs != 0 ? RecordFlags.Expiring | RecordFlags.Moment : RecordFlags.None)
        | (record.SlidingMs != 0 ? RecordFlags.Sliding : RecordFlags.None)
        | (record.IsLent ? RecordFlags.Parted : RecordFlags.None);

    private static void WriteCore(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        var fields = new RecordFields
        {
            Kind = KindOf(record),
            Flags = FlagsOf(record),
            Keyspace = record.Keyspace,
            Type = StoredType.Of(record.EntryKind),
            DeadlineMs = record.ExpiresAtUnixMs,
            SlidingMs = record.SlidingMs,
            AbsoluteMs = record.AbsoluteUnixMs,
            Offset = record.Offset,
        };
        int size = RecordLayout.SizeOf(fields.Kind, fields.Flags, record.KeyLength, record.ValueLength);
        RecordLayout.Write(Take(ref reservation, size), fields, key, value, record.ValueLength);
    }

    // The next bytes of the room.
    private static Span<byte> Take(ref ChangeReservation reservation, int size)
    {
        Debug.Assert(size <= reservation.Length);
        int position = (int)reservation.Position;
        reservation.Position += size;
        reservation.Length -= size;
        return reservation.Owner is StagingChunk chunk
            ? chunk.Slice(position, size)
            : ((LongGroup)reservation.Owner!).Slice(position, size);
    }

    // What was not written says nothing.
    private static StagedPlace CompleteIn(StagingChunk chunk, in ChangeReservation reservation)
    {
        int position = (int)reservation.Position;
        int left = (int)reservation.Length;
        if (left != 0)
            RecordLayout.WriteVoid(chunk.Slice(position, left));
        ulong lsn = (ulong)reservation.Sequence;
        int start = StagedPlace.OffsetOf(lsn);
        return new StagedPlace(chunk, StagedPlace.SequenceOf(lsn), start, position + left - start);
    }

    // Both threads have a full fence: who begins to record sees the count, or this one that it has begun.
    private bool TryPass(out ChangeReservation reservation)
    {
        reservation = new ChangeReservation { Owner = this };
        Interlocked.Increment(ref _unrecorded);
        if (staging.IsOff)
            return true;
        Interlocked.Decrement(ref _unrecorded);
        return false; // It finds room when it tries again.
    }

    private bool TryReserveLong(long bytes, out ChangeReservation reservation)
    {
        reservation = default;
        if (bytes > Array.MaxLength || !_room.TryTake((int)bytes, out byte[] memory))
            return false; // Where it is too long for ever, the waiting throws.
        bool isReserved = staging.TryReserve(RecordLayout.GroupHeadSize, out var place);
        if (!isReserved || place.IsNone)
        {
            _room.Return(memory.Length);
            return isReserved && TryPass(out reservation);
        }

        try
        {
            var group = new LongGroup(place, memory, _room);
            place.Chunk.Add(group); // Before the values of its records.
            reservation = new ChangeReservation { Owner = group, Length = bytes, Sequence = (long)place.Lsn };
            return true;
        }
        catch (OutOfMemoryException)
        {
            RecordLayout.WriteVoid(place.Bytes);
            End(place);
            _room.Return(memory.Length);
            return false;
        }
    }

    private void End(in StagedPlace place)
    {
        place.Fill();
        threads?.Filled(place);
    }
}
