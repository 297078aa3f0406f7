using System.Diagnostics;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Distinct members, each with a score and a mark, in the order in which they came; dispose it.</summary>
/// <remarks>
/// What a combination of several keys is computed in. Chains by the store's keyed hash, so that no client can choose
/// members that collide. bytesMax: Of all members; it bounds their number too.
/// </remarks>
internal sealed class MemberTable(StoreState state, long bytesMax) : IDisposable
{
    // What a member takes besides its bytes.
    private const int MemberBytes = 40;

    // Of one array of all bytes.
    private const int BytesMax = 1 << 30;

    private readonly long _bytesMax = Math.Min(bytesMax, BytesMax);

    private const int CapacityMin = 64;
    private const int BytesMin = 1024;

    // Indexes of the first member of each chain, plus one.
    private int[] _heads = Clean(PooledGrowth.Rent<int>(CapacityMin));
    private int _mask = CapacityMin - 1;
    private Slot[] _slots = PooledGrowth.Rent<Slot>(CapacityMin);
    private byte[] _bytes = PooledGrowth.Rent<byte>(BytesMin);
    private int _bytesUsed;

    /// <summary>The number of members.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of all members.</summary>
    public int Bytes => _bytesUsed;

    public ReadOnlySpan<byte> this[int index] => _bytes.AsSpan(_slots[index].Start, _slots[index].Length);

    /// <summary>The score of a member.</summary>
    public ref double ScoreAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        return ref _slots[index].Score;
    }

    /// <summary>A number of the caller's.</summary>
    public ref int MarkAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        return ref _slots[index].Mark;
    }

    /// <returns>The index of a member; −1: it is absent.</returns>
    public int Find(ReadOnlySpan<byte> member) => Find(member, (uint)state.HashOf(member, keyspace: 0));

    /// <summary>Adds a member, or finds it.</summary>
    /// <param name="member">The member.</param>
    /// <param name="isNew">Whether it was absent; its score and mark are 0 then.</param>
    /// <returns>Its index; −1 if the members would be too long together.</returns>
    public int Add(ReadOnlySpan<byte> member, out bool isNew)
    {
        uint hash = (uint)state.HashOf(member, keyspace: 0);
        int index = Find(member, hash);
        isNew = index < 0;
        if (!isNew)
            return index;
        if (_bytesUsed + (long)member.Length + (long)Count * MemberBytes > _bytesMax)
            return -1;
        Grow(member.Length);
        ref int head = ref _heads[hash & _mask];
        _slots[Count] = new Slot { Hash = hash, Next = head, Start = _bytesUsed, Length = member.Length };
        member.CopyTo(_bytes.AsSpan(_bytesUsed));
        _bytesUsed += member.Length;
        head = ++Count;
        return Count - 1;
    }

    /// <summary>Forgets all members.</summary>
    public void Clear()
    {
        _heads.AsSpan(0, _mask + 1).Clear();
        (Count, _bytesUsed) = (0, 0);
    }

    public void Dispose()
    {
        PooledGrowth.Return(_heads);
        PooledGrowth.Return(_slots);
        PooledGrowth.Return(_bytes);
        (_heads, _slots, _bytes) = ([], [], []);
    }

    private int Find(ReadOnlySpan<byte> member, uint hash)
    {
        for (int next = _heads[hash & _mask]; next != 0; next = _slots[next - 1].Next)
        {
            ref readonly var slot = ref _slots[next - 1];
            if (slot.Hash == hash && this[next - 1].SequenceEqual(member))
                return next - 1;
        }

        return -1;
    }

    private void Grow(int length)
    {
        if (Count > _mask)
            GrowHeads();
        _slots = PooledGrowth.Fit(_slots, Count, Count + 1);
        _bytes = PooledGrowth.Fit(_bytes, _bytesUsed, _bytesUsed + length);
    }

    private void GrowHeads()
    {
        int capacity = (_mask + 1) * 2;
        PooledGrowth.Return(_heads);
        _heads = Clean(PooledGrowth.Rent<int>(capacity));
        _mask = capacity - 1;
        for (int i = 0; i < Count; i++)
        {
            ref int head = ref _heads[_slots[i].Hash & _mask];
            (_slots[i].Next, head) = (head, i + 1);
        }
    }

    private static int[] Clean(int[] heads)
    {
        heads.AsSpan().Clear();
        return heads;
    }

    private struct Slot
    {
        public uint Hash;
        public int Next;
        public int Start;
        public int Length;
        public int Mark;
        public double Score;
    }
}
