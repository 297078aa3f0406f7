namespace Cache.Bench.ServerLoad;

/// <summary>What one connection asks for, command by command. Not thread-safe: one per connection and phase.</summary>
internal abstract class CommandSource
{
    /// <returns>False when the connection has asked for all it should.</returns>
    public abstract bool TryNext(out long id, out bool isSet);
}
