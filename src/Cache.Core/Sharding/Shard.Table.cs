using System.Diagnostics;
using System.Numerics;
using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>The table of a shard: chains in a power of two of slots, doubled when full.</summary>
internal sealed partial class Shard
{
    private const int InitialSlots = 16;

    private Entry?[] _slots = new Entry?[InitialSlots];
    private readonly long[] _countByKeyspace = new long[CacheOptions.KeyspaceCountMax];
    private int _count;

    public long CountOf(byte keyspace)
    {
        lock (Gate)
            return _countByKeyspace[keyspace];
    }

    public long ExpiringCountOf(byte keyspace)
    {
        lock (Gate)
            return _expiringByKeyspace[keyspace];
    }

    public void Clear(byte keyspace)
    {
        lock (Gate)
        {
            foreach (var head in _slots)
            {
                for (var entry = head; entry is not null; entry = entry.Next)
                {
                    if (entry.Keyspace == keyspace)
                        Unlink(entry);
                }
            }
        }
    }

    /// <summary>
    /// Hands out the keys of one slot and moves the cursor to the next; 0 when all slots were visited.
    /// </summary>
    /// <remarks>
    /// The cursor counts in reversed binary, so that a key that stays through a doubling is met: the slots that a
    /// visited one is split into lie behind the cursor. Source: Noordhuis's scan of Redis's dict.
    /// </remarks>
    public uint Scan<TSink>(byte keyspace, uint cursor, ref TSink sink, ref int taken)
        where TSink : struct, IKeySink, allows ref struct
    {
        lock (Gate)
        {
            uint mask = (uint)_slots.Length - 1;
            long nowMs = _state.Clock.NowMs;
            for (var entry = _slots[cursor & mask]; entry is not null; entry = entry.Next)
            {
                if (entry.Keyspace != keyspace || IsExpired(entry, nowMs))
                    continue;
                sink.Take(entry.Key);
                taken++;
            }

            return Reverse(Reverse(cursor | ~mask) + 1);
        }
    }

    public bool TryGetRandomKey<TSink>(byte keyspace, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        lock (Gate)
        {
            int start = Random.Shared.Next(_slots.Length);
            long nowMs = _state.Clock.NowMs;
            for (int i = 0; i < _slots.Length; i++)
            {
                if (PickLive(_slots[(start + i) & (_slots.Length - 1)], keyspace, nowMs) is not { } entry)
                    continue;
                entry.Key.CopyTo(sink.GetSpan(entry.Key.Length));
                sink.Advance(entry.Key.Length);
                return true;
            }

            return false;
        }
    }

    // Each live entry of a chain with the same chance.
    private static Entry? PickLive(Entry? chain, byte keyspace, long nowMs)
    {
        Entry? picked = null;
        int live = 0;
        for (var entry = chain; entry is not null; entry = entry.Next)
        {
            if (entry.Keyspace == keyspace && !IsExpired(entry, nowMs) && Random.Shared.Next(++live) == 0)
                picked = entry;
        }

        return picked;
    }

    private Entry? Lookup(in EntryKey key)
    {
        for (var entry = _slots[SlotOf(key.Hash)]; entry is not null; entry = entry.Next)
        {
            if (entry.Hash == key.Hash && entry.Keyspace == key.Keyspace && key.Bytes.SequenceEqual(entry.Key))
                return entry;
        }

        return null;
    }

    private Entry Link(Entry entry)
    {
        Debug.Assert(entry.Next is null);
        if (_count >= _slots.Length)
            Double();
        ref var head = ref _slots[SlotOf(entry.Hash)];
        entry.Next = head;
        head = entry;
        _count++;
        _countByKeyspace[entry.Keyspace]++;
        return entry;
    }

    private void Unlink(Entry entry)
    {
        ref var link = ref _slots[SlotOf(entry.Hash)];
        while (link != entry)
            link = ref link!.Next;
        link = entry.Next;
        _lastVersion++;
        _count--;
        _countByKeyspace[entry.Keyspace]--;
        if (entry.DeadlineMs != 0)
        {
            _expiringCount--;
            _expiringByKeyspace[entry.Keyspace]--;
        }

        _state.Budget.Add(-entry.SizeBytes);
    }

    private void Double()
    {
        var old = _slots;
        _slots = new Entry?[old.Length * 2];
        foreach (var head in old)
        {
            var entry = head;
            while (entry is not null)
            {
                var next = entry.Next;
                ref var slot = ref _slots[SlotOf(entry.Hash)];
                entry.Next = slot;
                slot = entry;
                entry = next;
            }
        }
    }

    // The shard is chosen by the top bits, the slot by the lowest ones.
    private int SlotOf(ulong hash) => (int)(hash & (uint)(_slots.Length - 1));

    private static uint Reverse(uint value)
    {
        value = BitOperations.RotateLeft(value, 16);
        value = ((value & 0x00ff00ff) << 8) | ((value >> 8) & 0x00ff00ff);
        value = ((value & 0x0f0f0f0f) << 4) | ((value >> 4) & 0x0f0f0f0f);
        value = ((value & 0x33333333) << 2) | ((value >> 2) & 0x33333333);
        return ((value & 0x55555555) << 1) | ((value >> 1) & 0x55555555);
    }
}
