namespace Cache.Server.Commands.Dispatch;

/// <summary>What a command has done so far that goes on after others had a turn.</summary>
internal abstract class CommandProgress : IDisposable
{
    /// <summary>What it holds: the client's memory while it waits, as a request that waits for its rest is.</summary>
    public abstract long MemoryBytes { get; }

    /// <summary>Gives back what it holds; once more does nothing.</summary>
    public abstract void Dispose();
}
