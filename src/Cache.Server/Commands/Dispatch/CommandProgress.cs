namespace Cache.Server.Commands.Dispatch;

/// <summary>The state of a command that continues after other clients had a turn.</summary>
internal abstract class CommandProgress : IDisposable
{
    /// <summary>The memory it holds, counted as the client's while it waits.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>Whether rights and pauses are not asked again: something was taken for it, or written.</summary>
    public virtual bool WasAllowed => false;

    /// <summary>How long the command was executed until now, in ticks of the server's clock.</summary>
    public long Ticks { get; set; }

    /// <summary>Gives back what it holds; idempotent.</summary>
    public abstract void Dispose();
}
