namespace Cache.Server.Clients;

/// <summary>What a client has queued since MULTI, and watches, as other clients see it.</summary>
/// <remarks>Commands know its parts. Other threads read single figures, which may be a moment old.</remarks>
internal abstract class ClientTransaction
{
    /// <summary>The commands that are queued.</summary>
    public abstract int QueuedCount { get; }

    /// <summary>The memory of the queue.</summary>
    public abstract long QueueBytes { get; }

    /// <summary>The keys that are watched.</summary>
    public abstract int WatchedCount { get; }

    /// <summary>Whether a watched key was changed, so that EXEC will execute nothing.</summary>
    public abstract bool IsVoid { get; }

    /// <summary>The memory of queue and watched keys.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>The client ends: gives all memory back, and watches nothing any more.</summary>
    public abstract void End();
}
