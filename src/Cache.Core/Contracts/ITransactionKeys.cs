namespace Cache.Core;

/// <summary>The keys of a transaction, and the room that it needs.</summary>
public interface ITransactionKeys
{
    /// <summary>The number of keys that it reads or writes; one may come more than once.</summary>
    int KeyCount { get; }

    /// <summary>
    /// The most writes of one key that it makes: a rename makes two. While there is a journal, more are refused.
    /// </summary>
    int WriteCount { get; }

    /// <summary>
    /// About how many bytes of keys and values it writes; room for them is made before. Without the values that the
    /// keys have already.
    /// </summary>
    long WrittenBytes { get; }

    /// <summary>The key at <paramref name="index"/>, the same bytes at every call.</summary>
    /// <param name="index">0 to <see cref="KeyCount"/> − 1.</param>
    ReadOnlySpan<byte> GetKey(int index);

    /// <summary>The keyspace of that key.</summary>
    /// <param name="index">0 to <see cref="KeyCount"/> − 1.</param>
    int GetKeyspace(int index);
}
