namespace Cache.Server.Commands.Dispatch;

/// <summary>A thread's use of the databases, from before it looks up a client's keyspace.</summary>
internal abstract class DatabaseVisit
{
    // Written by the thread that uses them, read by one that swaps.
    private int _presence;

    /// <summary>How long the use lasts; none if there is none.</summary>
    public DatabaseStay Presence
    {
        get => (DatabaseStay)Volatile.Read(ref _presence);
        set => Volatile.Write(ref _presence, (int)value);
    }
}
