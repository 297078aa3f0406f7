namespace Cache.Server.Transport;

/// <summary>Memory into which bytes from the peer are received directly.</summary>
internal abstract class FillTarget
{
    /// <summary>The memory that is not filled yet.</summary>
    public abstract Span<byte> Room { get; }

    /// <summary>Marks the first bytes of the room as filled.</summary>
    public abstract void Advance(int count);
}
