namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>A set of operations of a history, never changed once made; its hash is kept up.</summary>
internal readonly struct OperationSet : IEquatable<OperationSet>
{
    private readonly ulong[] _words;
    private readonly ulong _hash;

    public OperationSet(int operations)
        : this(new ulong[(operations + 63) / 64], 0)
    {
    }

    private OperationSet(ulong[] words, ulong hash)
    {
        _words = words;
        _hash = hash;
    }

    public OperationSet With(int operation) => Toggle(operation);

    public OperationSet Without(int operation) => Toggle(operation);

    public bool Equals(OperationSet other) => _hash == other._hash && _words.AsSpan().SequenceEqual(other._words);

    public override bool Equals(object? obj) => obj is OperationSet other && Equals(other);

    public override int GetHashCode() => (int)(_hash ^ (_hash >> 32));

    private OperationSet Toggle(int operation)
    {
        ulong[] words = [.. _words];
        words[operation / 64] ^= 1UL << operation;
        return new OperationSet(words, _hash ^ Mix((ulong)operation + 1));
    }

    private static ulong Mix(ulong value)
    {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9UL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBUL;
        return value ^ (value >> 31);
    }
}
