namespace Cache.Core.Changes;

/// <summary>A long value that a journal may keep until it has written it.</summary>
/// <remarks>
/// Unchanged until the journal disposes of it, once, on any thread; until then its memory counts against the store's
/// limit. May outlive the store.
/// </remarks>
public abstract class ChangeValue : IDisposable
{
    /// <summary>The bytes; valid until it is disposed.</summary>
    public abstract ReadOnlySpan<byte> Span { get; }

    /// <summary>Gives the memory back.</summary>
    public abstract void Dispose();
}
