using Cache.Core.Changes;

namespace Cache.Core;

/// <summary>Journal and observers of the store's changes.</summary>
public sealed partial class CacheStore
{
    /// <summary>Whether a journal is attached: transactions then say how much they write at most.</summary>
    public bool HasJournal => _state.Listeners?.Journal is not null;

    /// <summary>Begins to report the changes of all keyspaces to a journal.</summary>
    /// <remarks>
    /// A write that is under way may not be reported; its change is seen by later reads of the store, once its bucket
    /// is unlocked.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The store has a journal.</exception>
    public void Attach(ChangeJournal journal)
    {
        ArgumentNullException.ThrowIfNull(journal);
        ThrowIfDisposed();
        _state.Changes.Attach(journal);
    }

    /// <summary>Ends that; writes that are under way still complete their reservations.</summary>
    public void Detach(ChangeJournal journal)
    {
        ArgumentNullException.ThrowIfNull(journal);
        _state.Changes.Detach(journal);
    }

    /// <summary>Begins to report the changes of all keyspaces to an observer; there may be several.</summary>
    public void Attach(ChangeObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        ThrowIfDisposed();
        _state.Changes.Attach(observer);
    }

    /// <summary>Begins to note which values are gone, and why, in all keyspaces.</summary>
    /// <param name="capacity">The most entries that wait to be read; further ones are dropped, and counted.</param>
    /// <returns>The entries, which the caller disposes of.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The capacity is not between 1 and 1,048,576.</exception>
    public RemovedEntries ObserveRemoved(int capacity)
    {
        ThrowIfDisposed();
        return new RemovedEntries(capacity, Attach, Detach);
    }

    /// <summary>As <see cref="ObserveRemoved(int)"/>, of which 1,024 entries wait.</summary>
    public RemovedEntries ObserveRemoved() => ObserveRemoved(RemovedEntries.CapacityDefault);

    /// <summary>Ends that; writes that are under way may still report their changes.</summary>
    public void Detach(ChangeObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        _state.Changes.Detach(observer);
    }
}
