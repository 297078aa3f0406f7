namespace Cache.Core.Changes;

/// <summary>Observes every change of a key, whatever its cause: eviction and expiry too.</summary>
/// <remarks>
/// It is not told of a renewed sliding expiry, the removal of an absent key, or the single entries of a clear. It is
/// told of an expiry when the store meets the entry, which may be later.
/// </remarks>
public abstract class ChangeObserver
{
    /// <summary>
    /// Notes a change, in the order of each key's changes. Called under the lock of the key, on the thread that writes
    /// or makes room: it must not wait, throw, or call the store, and must keep a bounded amount.
    /// </summary>
    public abstract void Note(in ChangeNote note);

    /// <summary>
    /// Handles the noted changes. Called soon after, on a thread that has just written, without a lock of a bucket and
    /// perhaps by several threads at once: it should do little, and must not wait, throw, or call the store, since
    /// other threads may wait for the end of the write, and the caller may be the store's timer.
    /// </summary>
    public abstract void Drain();

    /// <summary>Hears that the store was disposed: no change follows. Called without a lock, once or never.</summary>
    internal virtual void NoteDisposal()
    {
    }
}
