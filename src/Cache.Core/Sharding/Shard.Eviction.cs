using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>Eviction: the entry that was unused for longest of a few taken at random.</summary>
internal sealed partial class Shard
{
    // Redis's default; more finds an older entry and takes longer.
    private const int Samples = 5;

    // Slots looked at before a shard with few candidates is passed over.
    private const int ProbesMax = 256;

    private long _evictions;

    /// <summary>
    /// Evicts one entry, unless the policy or the lack of a candidate forbids it. The caller holds the gate.
    /// </summary>
    public bool TryEvict(Entry? keep)
    {
        var policy = _state.Budget.Eviction;
        if (policy == EvictionPolicy.None || _count == 0)
            return false;
        Entry? victim = null;
        int start = Random.Shared.Next(_slots.Length);
        int probes = Math.Min(_slots.Length, ProbesMax);
        for (int i = 0, samples = 0; i < probes && samples < Samples; i++)
        {
            for (var entry = _slots[(start + i) & (_slots.Length - 1)]; entry is not null; entry = entry.Next)
            {
                if (entry == keep || (policy == EvictionPolicy.ExpiringEntries && entry.DeadlineMs == 0))
                    continue;
                samples++;
                if (victim is null || entry.LastUse < victim.LastUse)
                    victim = entry;
            }
        }

        if (victim is null)
            return false;
        Unlink(victim);
        _evictions++;
        return true;
    }

    /// <summary>Evicts, here first and then in shards that nobody holds, until so many bytes are free.</summary>
    private bool MakeRoom(long bytes, Entry? keep)
    {
        if (bytes > _state.Budget.LimitBytes)
            return false;
        while (!_state.Budget.HasRoomFor(bytes))
        {
            if (!TryEvict(keep) && !_state.TryEvictElsewhere(this))
                return false;
        }

        return true;
    }
}
