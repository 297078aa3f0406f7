namespace Cache.Server.Transport;

/// <summary>Bytes whose owner keeps them until they are disposed of.</summary>
internal abstract class LentBytes : IDisposable
{
    /// <summary>The bytes; valid until disposed of.</summary>
    public abstract ReadOnlySpan<byte> Span { get; }

    /// <summary>The same bytes, for a stream that takes no span, and only copies.</summary>
    public abstract ReadOnlyMemory<byte> Memory { get; }

    /// <summary>Gives them back. Any thread, once.</summary>
    public abstract void Dispose();
}
