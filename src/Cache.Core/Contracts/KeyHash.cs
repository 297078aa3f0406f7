namespace Cache.Core;

/// <summary>
/// The hash of a key in one keyspace of one store, computed ahead by <see cref="CacheStore.BeginPrefetch"/>.
/// </summary>
/// <remarks>Meaningless in another store or keyspace, and different in each run.</remarks>
public readonly struct KeyHash
{
    internal KeyHash(ulong value) => Value = value;

    internal ulong Value { get; }
}
