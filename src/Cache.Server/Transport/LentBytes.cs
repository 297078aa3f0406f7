namespace Cache.Server.Transport;

/// <summary>Bytes whose owner keeps them until they are disposed of.</summary>
internal abstract class LentBytes : IDisposable
{
    /// <summary>The bytes; valid until disposed of.</summary>
    public abstract ReadOnlySpan<byte> Span { get; }

    /// <summary>Gives them back. Any thread, once.</summary>
    public abstract void Dispose();
}
