namespace Cache.Server.Transport;

/// <summary>Memory in which bytes from the peer will stay.</summary>
internal abstract class FillTarget
{
    /// <summary>What is still to be filled.</summary>
    public abstract Span<byte> Room { get; }

    /// <summary>Takes the first bytes of the room as filled.</summary>
    public abstract void Advance(int count);
}
