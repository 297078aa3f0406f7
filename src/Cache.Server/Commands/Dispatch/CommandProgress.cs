namespace Cache.Server.Commands.Dispatch;

/// <summary>The state of a command that continues after other clients had a turn.</summary>
internal abstract class CommandProgress : IDisposable
{
    /// <summary>The memory it holds, counted as the client's while it waits.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>Gives back what it holds; idempotent.</summary>
    public abstract void Dispose();
}
