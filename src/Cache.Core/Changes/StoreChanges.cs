namespace Cache.Core.Changes;

/// <summary>Attaches and detaches the listeners to the changes of a store.</summary>
/// <param name="told">Receives each new set of listeners; null when there are none.</param>
internal sealed class StoreChanges(Action<ChangeListeners?> told)
{
    private readonly Lock _gate = new();

    // Written under the gate, and handed on there; null without listeners.
    private ChangeListeners? _listeners;

    public ChangeListeners? Listeners => Volatile.Read(ref _listeners);

    public void Attach(ChangeJournal journal)
    {
        lock (_gate)
        {
            if (_listeners?.Journal is not null)
                throw new InvalidOperationException("The store has a journal already.");
            Replace(ChangeListeners.With(_listeners, journal));
        }
    }

    public void Detach(ChangeJournal journal)
    {
        lock (_gate)
        {
            if (_listeners?.Journal == journal)
                Replace(ChangeListeners.With(_listeners, journal: null));
        }
    }

    public void Attach(ChangeObserver observer)
    {
        lock (_gate)
            Replace(ChangeListeners.With(_listeners, observer));
    }

    public void Detach(ChangeObserver observer)
    {
        lock (_gate)
            Replace(ChangeListeners.Without(_listeners, observer));
    }

    /// <summary>Tells the observers that the store was disposed; who attaches later sees that itself.</summary>
    public void EndAll()
    {
        ChangeListeners? listeners;
        lock (_gate) // Who attached before is told.
            listeners = _listeners;
        listeners?.NoteDisposal();
    }

    private void Replace(ChangeListeners? listeners)
    {
        Volatile.Write(ref _listeners, listeners);
        told(listeners);
        // Before the caller's next read: a thread that locks a bucket after that read sees the listeners.
        Interlocked.MemoryBarrier();
    }
}
