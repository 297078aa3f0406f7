using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Server.Tracking;

/// <summary>A part of the <see cref="TrackedKeys"/>: keys, and the clients that have read each.</summary>
/// <remarks>
/// A hash table with chains, whose entries, key bytes and clients are slots: 64 bytes for a key of up to 28 bytes and
/// one client. The gate is a leaf, and held for a few steps, or while the arrays grow: a writer of the store takes it
/// under the lock of a bucket.
/// </remarks>
internal sealed class TrackedStripe
{
    private const int EntryBytes = 16;
    private const int CellBytes = 28;
    private const int BucketsMin = 4;

    // The slots that an eviction looks at before it takes the next one that is in use: as random as it need be.
    private const int ProbesMax = 8;

    private readonly Lock _gate = new();
    private readonly SlotPool<Entry> _entries = new(EntryBytes);
    private readonly SlotPool<Cell> _cells = new(CellBytes);
    private readonly SlotPool<long> _clients = new(sizeof(long));
    private int[] _buckets = [];

    /// <summary>The keys; any thread, perhaps a moment old.</summary>
    public int Count => _entries.Count;

    /// <summary>The pairs of a key and a client; any thread, perhaps a moment old.</summary>
    public int Items => _clients.Count;

    /// <summary>Remembers that a client has read a key.</summary>
    /// <returns>By how much count and bytes grow.</returns>
    public TrackedSize Add(ReadOnlySpan<byte> key, uint hash, long client)
    {
        lock (_gate)
        {
            var before = MeasureUnsynchronized();
            int slot = Find(key, hash);
            if (slot == 0)
                slot = Insert(key, hash);
            ref var entry = ref _entries[slot];
            for (int one = entry.Client; one != 0; one = _clients.NextOf(one))
            {
                if (_clients[one] == client)
                    return default;
            }

            entry.Client = _clients.Take(client, entry.Client);
            return MeasureUnsynchronized() - before;
        }
    }

    /// <summary>Forgets a key, and queues what its clients must be told.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="writer">The client that has changed it; 0: none.</param>
    /// <param name="queue">Gets an element for each client.</param>
    /// <returns>By how much count and bytes grow: less than nothing.</returns>
    public TrackedSize Take(ReadOnlySpan<byte> key, uint hash, long writer, InvalidationQueue queue)
    {
        lock (_gate)
        {
            int slot = Find(key, hash);
            return slot == 0 ? default : Remove(slot, writer, queue);
        }
    }

    /// <summary>As <see cref="Take"/>, with any key.</summary>
    /// <param name="random">Picks it.</param>
    /// <param name="queue">Gets an element for each client.</param>
    /// <returns>Nothing if there is no key.</returns>
    public TrackedSize TakeAny(int random, InvalidationQueue queue)
    {
        lock (_gate)
        {
            if (_entries.Count == 0)
                return default;
            uint at = (uint)random;
            int slot = 0;
            for (int probe = 0; probe < ProbesMax && slot == 0; probe++)
            {
                int candidate = (int)(at % (uint)_entries.Top) + 1;
                slot = _entries[candidate].IsUsed ? candidate : 0;
                at = at * 1664525 + 1013904223;
            }

            for (slot = slot == 0 ? (int)(at % (uint)_entries.Top) + 1 : slot; !_entries[slot].IsUsed;)
                slot = slot == _entries.Top ? 1 : slot + 1;
            return Remove(slot, writer: 0, queue);
        }
    }

    /// <summary>Forgets all keys.</summary>
    /// <returns>By how much count and bytes grow: less than nothing.</returns>
    public TrackedSize Clear()
    {
        lock (_gate)
        {
            var before = MeasureUnsynchronized();
            _entries.Clear();
            _cells.Clear();
            _clients.Clear();
            _buckets = [];
            return MeasureUnsynchronized() - before;
        }
    }

    private int Find(ReadOnlySpan<byte> key, uint hash)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int slot = _buckets.Length == 0 ? 0 : _buckets[hash & (uint)(_buckets.Length - 1)];
        for (; slot != 0; slot = _entries.NextOf(slot))
        {
            ref readonly var entry = ref _entries[slot];
            if (entry.Hash == hash && entry.Length == key.Length && IsKey(entry, key))
                return slot;
        }

        return 0;
    }

    private bool IsKey(in Entry entry, ReadOnlySpan<byte> key)
    {
        for (int cell = entry.Cell; !key.IsEmpty; cell = _cells.NextOf(cell))
        {
            int length = Math.Min(key.Length, CellBytes);
            if (!key[..length].SequenceEqual(_cells[cell][..length]))
                return false;
            key = key[length..];
        }

        return true;
    }

    private int Insert(ReadOnlySpan<byte> key, uint hash)
    {
        if (_entries.Count >= _buckets.Length)
            Grow();
        int cell = 0;
        for (int end = key.Length; end > 0;)
        {
            int start = (end - 1) / CellBytes * CellBytes;
            var bytes = default(Cell);
            key[start..end].CopyTo(bytes);
            cell = _cells.Take(bytes, cell);
            end = start;
        }

        ref int bucket = ref _buckets[hash & (uint)(_buckets.Length - 1)];
        return bucket = _entries.Take(new Entry(hash, key.Length, cell), bucket);
    }

    private TrackedSize Remove(int slot, long writer, InvalidationQueue queue)
    {
        var before = MeasureUnsynchronized();
        var entry = _entries[slot];
        byte[] key = new byte[entry.Length];
        var rest = key.AsSpan();
        for (int cell = entry.Cell; cell != 0; cell = _cells.GiveBack(cell))
        {
            int length = Math.Min(rest.Length, CellBytes);
            _cells[cell][..length].CopyTo(rest);
            rest = rest[length..];
        }

        Debug.Assert(rest.IsEmpty);
        ref int link = ref _buckets[entry.Hash & (uint)(_buckets.Length - 1)];
        while (link != slot)
            link = ref _entries.NextOf(link);
        link = _entries.GiveBack(slot);
        for (int client = entry.Client; client != 0; client = _clients.GiveBack(client))
            queue.Add(new Invalidation(key, _clients[client], writer));
        if (_entries.Count == 0)
            _buckets = [];
        return MeasureUnsynchronized() - before;
    }

    private void Grow()
    {
        int[] buckets = new int[Math.Max(_buckets.Length * 2, BucketsMin)];
        foreach (int first in _buckets)
        {
            for (int slot = first; slot != 0;)
            {
                int next = _entries.NextOf(slot);
                ref int bucket = ref buckets[_entries[slot].Hash & (uint)(buckets.Length - 1)];
                _entries.NextOf(slot) = bucket;
                bucket = slot;
                slot = next;
            }
        }

        _buckets = buckets;
    }

    private TrackedSize MeasureUnsynchronized()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        long used = ((long)_entries.Count * (_entries.SlotBytes + sizeof(int)))
            + ((long)_cells.Count * _cells.SlotBytes) + ((long)_clients.Count * _clients.SlotBytes);
        long held = _entries.CapacityBytes + _cells.CapacityBytes + _clients.CapacityBytes
            + ((long)_buckets.Length * sizeof(int));
        return new TrackedSize(_entries.Count, _clients.Count, used, held);
    }

    private struct Entry(uint hash, int length, int cell)
    {
        public readonly uint Hash = hash;
        public readonly int Length = length;

        // The first cell of the key; 0: it is empty.
        public readonly int Cell = cell;

        // The first client; 0: the slot is free, or about to get one.
        public int Client;

        public readonly bool IsUsed => Client != 0;
    }

    [InlineArray(CellBytes)]
    private struct Cell
    {
        private byte _first;
    }
}
