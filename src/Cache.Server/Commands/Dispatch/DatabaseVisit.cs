namespace Cache.Server.Commands.Dispatch;

/// <summary>The stay of a thread in the databases, from before it looks for a client's keyspace.</summary>
internal abstract class DatabaseVisit
{
    // Written by the thread that visits, read by one that swaps.
    private int _presence;

    /// <summary>How long it is meant to last; none while nobody is there.</summary>
    public DatabaseStay Presence
    {
        get => (DatabaseStay)Volatile.Read(ref _presence);
        set => Volatile.Write(ref _presence, (int)value);
    }
}
