using Cache.Core.Curve;

namespace Cache.Core.Sharding;

/// <summary>The entries of all shards, as the curve looks at them.</summary>
internal readonly struct SampledEntries(Shard[] shards, SharedState state) : ISampledEntries
{
    public bool TryFind(ulong hash, out SampledEntry entry) =>
        shards[state.ShardIndexOf(hash)].TryDescribe(hash, out entry);
}
