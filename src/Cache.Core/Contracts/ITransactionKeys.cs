namespace Cache.Core;

/// <summary>The keys of a transaction, and the room that it needs.</summary>
public interface ITransactionKeys
{
    /// <summary>The number of keys that it reads or writes; a key may occur more than once.</summary>
    int KeyCount { get; }

    /// <summary>
    /// The most writes of a single key that it makes: a rename counts as two. With a journal, more are refused.
    /// </summary>
    int WriteCount { get; }

    /// <summary>
    /// The approximate bytes of keys and values that it writes, for which room is made before; without the present
    /// values of the keys.
    /// </summary>
    long WrittenBytes { get; }

    /// <summary>The key at <paramref name="index"/>, the same bytes at every call.</summary>
    /// <param name="index">0 to <see cref="KeyCount"/> − 1.</param>
    ReadOnlySpan<byte> GetKey(int index);

    /// <summary>The keyspace of that key.</summary>
    /// <param name="index">0 to <see cref="KeyCount"/> − 1.</param>
    int GetKeyspace(int index);
}
