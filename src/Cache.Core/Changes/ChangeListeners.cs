namespace Cache.Core.Changes;

/// <summary>The listeners to the changes of a store: immutable, replaced as a whole.</summary>
internal sealed class ChangeListeners(ChangeJournal? journal, ChangeObserver[] observers)
{
    public ChangeJournal? Journal { get; } = journal;

    /// <summary>The listeners with another journal, or without one; null if none is left.</summary>
    public static ChangeListeners? With(ChangeListeners? present, ChangeJournal? journal) =>
        Create(journal, present?.Observers ?? []);

    /// <summary>The same with one more observer.</summary>
    public static ChangeListeners? With(ChangeListeners? present, ChangeObserver observer) =>
        Create(present?.Journal, [.. present?.Observers ?? [], observer]);

    /// <summary>The same without an observer.</summary>
    public static ChangeListeners? Without(ChangeListeners? present, ChangeObserver observer) =>
        Create(present?.Journal, Array.FindAll(present?.Observers ?? [], other => other != observer));

    private ChangeObserver[] Observers { get; } = observers;

    /// <summary>Tells all observers; under the lock of the key.</summary>
    public void Note(in ChangeNote note)
    {
        foreach (var observer in Observers)
            observer.Note(note);
    }

    /// <summary>Lets all observers handle what they noted; without any lock.</summary>
    public void Drain()
    {
        foreach (var observer in Observers)
            observer.Drain();
    }

    /// <summary>Tells all observers that the store was disposed; without any lock.</summary>
    public void NoteDisposal()
    {
        foreach (var observer in Observers)
            observer.NoteDisposal();
    }

    private static ChangeListeners? Create(ChangeJournal? journal, ChangeObserver[] observers) =>
        journal is null && observers.Length == 0 ? null : new ChangeListeners(journal, observers);
}
