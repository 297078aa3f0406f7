namespace Cache.Core.Changes;

/// <summary>Is told of every change of a key, by whatever cause: eviction and expiry too.</summary>
/// <remarks>
/// Not told: a renewal of a sliding expiry, a removal that found nothing, and the single entries of a clear. An expiry
/// is told when the store meets the entry, which may be later.
/// </remarks>
public abstract class ChangeObserver
{
    /// <summary>
    /// Notes a change, in the order of each key's changes. Called under the lock of the key, on the thread of the
    /// writer or of whatever makes room: it must not wait, throw, or call the store, and what it keeps must be bounded.
    /// </summary>
    public abstract void Note(in ChangeNote note);

    /// <summary>
    /// Handles what was noted. Called soon after, on a thread that has just written, without a lock of a bucket and
    /// perhaps by several threads at once: it should do little, and must not wait, throw, or call the store, since
    /// others may wait for the end of the write, and it may be the store's timer that calls.
    /// </summary>
    public abstract void Drain();
}
