using System.Runtime.CompilerServices;

namespace Cache.Core.Sharding;

/// <summary>
/// The gates of several shards, entered in ascending order so that no two threads wait for each other.
/// </summary>
internal ref struct ShardGates(Shard[] shards)
{
    private const int WordCount = CacheOptions.ShardCountMax / 64;

    private readonly Shard[] _shards = shards;
    private Words _wanted;

    public void Add(Shard shard) => _wanted[shard.Index >> 6] |= 1UL << shard.Index;

    public readonly void Enter()
    {
        foreach (var shard in _shards)
        {
            if (Wants(shard))
                Monitor.Enter(shard.Gate);
        }
    }

    public readonly void Dispose()
    {
        foreach (var shard in _shards)
        {
            if (Wants(shard))
                Monitor.Exit(shard.Gate);
        }
    }

    private readonly bool Wants(Shard shard) => (_wanted[shard.Index >> 6] & (1UL << shard.Index)) != 0;

    [InlineArray(WordCount)]
    private struct Words
    {
        private ulong _first;
    }
}
