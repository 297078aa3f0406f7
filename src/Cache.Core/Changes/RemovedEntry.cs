namespace Cache.Core.Changes;

/// <summary>A value that is gone.</summary>
/// <param name="Key">The key; empty if the whole keyspace was cleared.</param>
/// <param name="Keyspace">The number of the keyspace, from 0.</param>
/// <param name="Cause">Why it is gone.</param>
public readonly record struct RemovedEntry(ReadOnlyMemory<byte> Key, int Keyspace, RemovalCause Cause);
