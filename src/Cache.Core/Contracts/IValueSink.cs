namespace Cache.Core;

/// <summary>Receives the bytes of one value from a read of the store.</summary>
/// <remarks>
/// The store calls <see cref="GetSpan"/> and, when the copy is known to be consistent, <see cref="Advance"/> with the
/// same length. If a concurrent write has torn the copy, it is made again: <see cref="GetSpan"/> is called once more,
/// and the content of the earlier span is garbage. A sink never awaits, blocks, calls the store, or keeps the span.
/// Sinks are struct type arguments, so that each caller gets a specialised path without interface calls.
/// </remarks>
public interface IValueSink
{
    /// <summary>Returns the span into which the value is copied.</summary>
    /// <param name="length">The length of the value in bytes, 0 to <see cref="CacheStore.ValueLengthMax"/>.</param>
    /// <returns>At least <paramref name="length"/> bytes, valid until the next call of this sink.</returns>
    Span<byte> GetSpan(int length);

    /// <summary>Called when the first <paramref name="length"/> bytes of the last span are the value.</summary>
    /// <param name="length">The length of the value in bytes.</param>
    void Advance(int length);
}
