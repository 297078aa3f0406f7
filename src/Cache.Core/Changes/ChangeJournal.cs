namespace Cache.Core.Changes;

/// <summary>Takes every change that writes make, in the order in which the store makes them.</summary>
/// <remarks>
/// A write reserves room for its records under the lock of its keys, before it changes anything, and fills it with
/// what it left. As all reservations of a key are made under that key's lock, their order is the order of its changes;
/// and a clear's is that of the whole keyspace. A write of several keys (SetMany, Rename, Copy, Move) is one
/// reservation with a record for each, which take effect together or not at all; so is a transaction (Transact), but
/// for a clear in it, which is a reservation of its own between two others.
///
/// Told are the results of writes: sets, patches, expiries, clears, and removals, of which also those that found
/// nothing, since an entry that was evicted may still be in an older record. Not told is what only the store decides:
/// eviction, expiry, the renewal of a sliding expiry, and moves in memory.
///
/// The store calls, each time on the thread of the writer: <see cref="SizeOf"/> and <see cref="TryReserve"/> with the
/// keys locked; after a success <c>Write</c> for each record, in the order of the sizes, and then
/// <see cref="Complete"/>, with the keys still locked or just unlocked; after a failure <see cref="WaitForRoom"/>
/// without any lock, and then all again. Of these, only <see cref="WaitForRoom"/> may wait, throw or call the store.
/// Several threads call at once, and some may still do so shortly after the journal was detached.
/// </remarks>
public abstract class ChangeJournal
{
    /// <summary>
    /// The longest value, or part of one, that comes as a span, in bytes: it is copied under the lock of its key.
    /// Longer ones come as a <see cref="ChangeValue"/>; shorter ones may.
    /// </summary>
    public const int SpanLengthMax = 256 << 10;

    /// <summary>What a record takes of a reservation.</summary>
    public abstract long SizeOf(in ChangeRecord record);

    /// <summary>Reserves room; never waits.</summary>
    /// <param name="bytes">
    /// The sum of the records' sizes. It may be more than the journal holds at most, if a write has many keys: it is
    /// then given when nothing else is held.
    /// </param>
    /// <param name="count">
    /// The number of records; more than one take effect together. A transaction does not know them yet: it reserves
    /// for the most that it writes, and may complete with fewer records, of fewer bytes.
    /// </param>
    /// <param name="reservation">The room.</param>
    /// <returns>False if there is none at present.</returns>
    public abstract bool TryReserve(long bytes, int count, out ChangeReservation reservation);

    /// <summary>Returns when there may be room again, or throws if the write must fail.</summary>
    public abstract void WaitForRoom(long bytes);

    /// <summary>Writes the next record.</summary>
    /// <param name="reservation">The room.</param>
    /// <param name="record">The record: the one that was asked the size of, or one that takes no more.</param>
    /// <param name="key">The key; valid during the call.</param>
    /// <param name="value">The bytes of the value; valid during the call.</param>
    public abstract void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    /// <summary>The same of a value that is lent.</summary>
    /// <param name="reservation">The room.</param>
    /// <param name="record">The record.</param>
    /// <param name="key">The key; valid during the call.</param>
    /// <param name="value">The bytes; the journal disposes of them.</param>
    public abstract void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value);

    /// <summary>
    /// Ends a reservation: what was written in it takes effect, the rest of its room is void. It may be all of it, if a
    /// write ended without a change.
    /// </summary>
    public abstract void Complete(ref ChangeReservation reservation);
}
