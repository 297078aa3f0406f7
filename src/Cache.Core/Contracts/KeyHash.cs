namespace Cache.Core;

/// <summary>
/// The hash of a key in one keyspace of one store, computed ahead by <see cref="CacheStore.BeginPrefetch"/>.
/// </summary>
/// <remarks>It means nothing to another store or keyspace, and is not the same in another run.</remarks>
public readonly struct KeyHash
{
    internal KeyHash(ulong value) => Value = value;

    internal ulong Value { get; }
}
