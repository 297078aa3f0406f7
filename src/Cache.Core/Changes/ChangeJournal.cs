namespace Cache.Core.Changes;

/// <summary>Takes every change that writes make, in the order in which the store makes them.</summary>
/// <remarks>
/// A write reserves room for its records under the lock of its keys, before it changes anything, and fills it with the
/// result before it unlocks them. As all reservations of a key are made under that key's lock, their order is the order
/// of its changes; a clear's reservation is ordered with those of the whole keyspace. And as it is complete before
/// another write of the key, no record depends on one that its writer never completed: a reader of what a killed
/// process has left may pass over such a reservation. A write of several keys (SetMany, Rename, Copy,
/// Move) is one reservation with a record for each, which take effect atomically; so is a transaction (Transact),
/// except that a clear in it is a reservation of its own between two others.
///
/// The journal gets the results of writes: sets, patches, expiries, clears, and removals, also of absent keys, since an
/// evicted entry may still be in an older record. It does not get what only the store decides: eviction, expiry, the
/// renewal of a sliding expiry, and moves in memory.
///
/// The store calls, each time on the thread of the writer: <see cref="SizeOf"/> and <see cref="TryReserve"/> with the
/// keys locked; after a success <c>Write</c> for each record, in the order of the sizes, and then
/// <see cref="Complete"/>, with the keys still locked; after a failure <see cref="WaitForRoom"/> without any lock, and
/// then everything again. Only <see cref="WaitForRoom"/> may wait, throw or call the store.
/// Several threads call at once, and some may still do so shortly after the journal was detached.
/// </remarks>
public abstract class ChangeJournal
{
    /// <summary>
    /// The longest value, or part of one, that comes as a span, in bytes: it is copied under the lock of its key.
    /// Longer ones come as a <see cref="ChangeValue"/>; shorter ones may.
    /// </summary>
    public const int SpanLengthMax = 256 << 10;

    /// <summary>The bytes that a record takes of a reservation.</summary>
    public abstract long SizeOf(in ChangeRecord record);

    /// <summary>Reserves room; never waits.</summary>
    /// <param name="bytes">
    /// The sum of the records' sizes. With many keys it may exceed the journal's capacity: it is then granted when no
    /// other reservation is open.
    /// </param>
    /// <param name="count">
    /// The number of records; several take effect atomically. A transaction does not know them yet: it reserves the
    /// most that it may write, and may complete with fewer records, of fewer bytes.
    /// </param>
    /// <param name="reservation">The room.</param>
    /// <returns>False if there is no room now.</returns>
    public abstract bool TryReserve(long bytes, int count, out ChangeReservation reservation);

    /// <summary>Returns when there may be room again, or throws if the write must fail.</summary>
    public abstract void WaitForRoom(long bytes);

    /// <summary>Writes the next record.</summary>
    /// <param name="reservation">The room.</param>
    /// <param name="record">The record: the one whose size was asked for, or one that is not larger.</param>
    /// <param name="key">The key; valid during the call.</param>
    /// <param name="value">The bytes of the value; valid during the call.</param>
    public abstract void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value);

    /// <summary>Writes the next record, with a value that is lent.</summary>
    /// <param name="reservation">The room.</param>
    /// <param name="record">The record.</param>
    /// <param name="key">The key; valid during the call.</param>
    /// <param name="value">The bytes; the journal disposes of them.</param>
    public abstract void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value);

    /// <summary>
    /// Ends a reservation: the records written in it take effect, and the rest of its room is given back; all of it, if
    /// the write ended without a change.
    /// </summary>
    public abstract void Complete(ref ChangeReservation reservation);
}
