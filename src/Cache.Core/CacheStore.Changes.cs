using Cache.Core.Changes;

namespace Cache.Core;

/// <summary>Who is told of changes.</summary>
public sealed partial class CacheStore
{
    /// <summary>Begins to tell a journal of the changes of all keyspaces.</summary>
    /// <remarks>
    /// Of a write that is under way, the change may not be told; what is read of the store afterwards, its bucket not
    /// being locked, has it.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The store has a journal.</exception>
    public void Attach(ChangeJournal journal)
    {
        ArgumentNullException.ThrowIfNull(journal);
        ThrowIfDisposed();
        _state.Changes.Attach(journal);
    }

    /// <summary>Ends that; reservations of writes that are under way are still completed.</summary>
    public void Detach(ChangeJournal journal)
    {
        ArgumentNullException.ThrowIfNull(journal);
        _state.Changes.Detach(journal);
    }

    /// <summary>Begins to tell an observer of the changes of all keyspaces; it may be one of several.</summary>
    public void Attach(ChangeObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        ThrowIfDisposed();
        _state.Changes.Attach(observer);
    }

    /// <summary>Ends that; writes that are under way may still tell it of theirs.</summary>
    public void Detach(ChangeObserver observer)
    {
        ArgumentNullException.ThrowIfNull(observer);
        _state.Changes.Detach(observer);
    }
}
