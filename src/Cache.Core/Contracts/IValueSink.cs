namespace Cache.Core;

/// <summary>A place that takes the bytes of one value, handed down to a read of the store.</summary>
/// <remarks>
/// The store calls <see cref="GetSpan"/> and, when the copy is known to be whole, <see cref="Advance"/> with the same
/// length. A copy that a concurrent write tore is taken again: then <see cref="GetSpan"/> is called once more and what
/// the earlier span held is garbage. A sink copies; it never awaits, blocks, calls the store, or keeps the span.
/// Sinks are struct type arguments, so that each caller gets a specialised path without interface calls.
/// </remarks>
public interface IValueSink
{
    /// <summary>The span that the value is copied into.</summary>
    /// <param name="length">The length of the value in bytes, 0 to <see cref="CacheStore.ValueLengthMax"/>.</param>
    /// <returns>At least <paramref name="length"/> bytes, valid until the next call of this sink.</returns>
    Span<byte> GetSpan(int length);

    /// <summary>Takes the first <paramref name="length"/> bytes of the last span as the value.</summary>
    /// <param name="length">The length of the value in bytes.</param>
    void Advance(int length);
}
