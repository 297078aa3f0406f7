namespace Cache.Core;

/// <summary>Receives elements of a list, as of one moment.</summary>
/// <remarks>
/// A struct type argument; called when the read is known to be consistent, while no lock is held. The spans are valid
/// until the call returns.
/// </remarks>
public interface IElementSink
{
    /// <summary>Whether it takes no more: the remaining elements are not told.</summary>
    bool IsFull { get; }

    /// <summary>Called first.</summary>
    /// <param name="count">The number of elements that follow.</param>
    void Begin(long count);

    /// <summary>Receives an element.</summary>
    /// <param name="element">Its bytes.</param>
    void Take(scoped ReadOnlySpan<byte> element);
}
