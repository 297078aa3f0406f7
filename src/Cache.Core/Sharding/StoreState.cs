using System.Numerics;
using Cache.Core.Contracts;
using Cache.Core.Expiry;
using Cache.Core.Hashing;

namespace Cache.Core.Sharding;

/// <summary>What all views of one store share: the shards, the budget, the clock, the hash.</summary>
internal sealed class StoreState : IDisposable
{
    // As often as Redis by default (hz 10).
    private static readonly TimeSpan _sweepPeriod = TimeSpan.FromMilliseconds(100);

    // A sweep that finds much goes on, but not for ever: the timer's thread is shared.
    private const int SweepsPerShardMax = 64;

    private readonly SipHash13 _hash = SipHash13.CreateRandom();
    private readonly int _shardShift;
    private readonly ITimer _sweepTimer;
    private long _lastUse;

    public StoreState(CacheOptions options, TimeProvider timeProvider)
    {
        Clock = new CoarseClock(timeProvider);
        Budget = new MemoryBudget(options.MemoryLimitBytes, options.Eviction);
        ValueLengthMax = options.ValueLengthMax;
        KeyspaceCount = options.KeyspaceCount;
        Shards = new Shard[options.ShardCount];
        for (int i = 0; i < Shards.Length; i++)
            Shards[i] = new Shard(this, i);
        _shardShift = 64 - BitOperations.Log2((uint)Shards.Length);
        _sweepTimer = timeProvider.CreateTimer(
            static state => ((StoreState)state!).Sweep(), this, _sweepPeriod, _sweepPeriod);
    }

    public CoarseClock Clock { get; }

    public MemoryBudget Budget { get; }

    public Shard[] Shards { get; }

    public int ValueLengthMax { get; }

    public int KeyspaceCount { get; }

    public EntryKey KeyOf(ReadOnlySpan<byte> key, byte keyspace) =>
        new(key, keyspace, _hash.Hash(key) ^ (keyspace * 0x9E3779B97F4A7C15UL));

    // A shift by 64 is a shift by 0: one shard has no bits to choose it by.
    public Shard ShardOf(ulong hash) => Shards.Length == 1 ? Shards[0] : Shards[hash >> _shardShift];

    /// <summary>The next moment of the order in which entries are used.</summary>
    public long NextUse() => Interlocked.Increment(ref _lastUse);

    /// <summary>
    /// Evicts one entry of a shard that no other thread holds, so that two shards never wait for each other.
    /// </summary>
    public bool TryEvictElsewhere(Shard except)
    {
        for (int i = 1; i < Shards.Length; i++)
        {
            var shard = Shards[(except.Index + i) & (Shards.Length - 1)];
            if (!Monitor.TryEnter(shard.Gate))
                continue;
            try
            {
                if (shard.TryEvict(keep: null))
                    return true;
            }
            finally
            {
                Monitor.Exit(shard.Gate);
            }
        }

        return false;
    }

    public void EvictDownToLimit()
    {
        foreach (var shard in Shards)
        {
            lock (shard.Gate)
            {
                while (!Budget.HasRoomFor(0) && shard.TryEvict(keep: null))
                {
                }
            }
        }
    }

    public void Dispose()
    {
        _sweepTimer.Dispose();
        Clock.Dispose();
    }

    private void Sweep()
    {
        foreach (var shard in Shards)
        {
            int sweeps = 0;
            while (shard.Sweep() && ++sweeps < SweepsPerShardMax)
            {
            }
        }
    }
}
