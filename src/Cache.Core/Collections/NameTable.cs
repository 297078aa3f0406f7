using System.Diagnostics;
using System.Numerics;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>The distinct names of a caller's source, found by the store's keyed hash; dispose it.</summary>
/// <remarks>
/// Made before a lock is taken. Then a collection of n elements and m names are compared in n + m steps, whatever names
/// a client chooses; a search of each name would take n · m. The names stay with the caller.
/// </remarks>
internal sealed class NameTable : IDisposable
{
    /// <summary>Fewer names are searched one by one.</summary>
    public const int CountMin = 16;

    private readonly StoreState _state;

    // Indexes of the first name of each chain, plus one.
    private int[] _heads;
    private readonly int _mask;
    private Slot[] _slots;

    private NameTable(StoreState state, int count)
    {
        _state = state;
        Count = count;
        _mask = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(1, count)) - 1;
        _heads = PooledGrowth.Rent<int>(_mask + 1);
        _heads.AsSpan(0, _mask + 1).Clear();
        _slots = PooledGrowth.Rent<Slot>(Math.Max(1, count));
    }

    /// <summary>The number of names, equal ones counted each.</summary>
    public int Count { get; }

    public static NameTable Of<TNames>(StoreState state, ref TNames names)
        where TNames : struct, IKeySource, allows ref struct
    {
        var table = new NameTable(state, names.Count);
        for (int i = 0; i < table.Count; i++)
        {
            var name = names.GetKey(i);
            uint hash = (uint)state.HashOf(name, keyspace: 0);
            int first = table.Find(ref names, name, hash);
            ref int head = ref table._heads[hash & table._mask];
            table._slots[i] = new Slot { Hash = hash, First = first < 0 ? i : first, Next = head };
            if (first < 0)
                head = i + 1;
        }

        return table;
    }

    /// <returns>The index of the first name that is equal; −1: there is none.</returns>
    public int Find<TNames>(ref TNames names, scoped ReadOnlySpan<byte> name)
        where TNames : struct, IKeySource, allows ref struct =>
        Find(ref names, name, (uint)_state.HashOf(name, keyspace: 0));

    /// <summary>The index of the first name that is equal to one.</summary>
    public int FirstOf(int index) => _slots[index].First;

    /// <summary>A number of the caller's, for the first of equal names.</summary>
    public ref int MarkAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        return ref _slots[index].Mark;
    }

    /// <summary>A score of the caller's, for the first of equal names.</summary>
    public ref double ScoreAt(int index)
    {
        Debug.Assert((uint)index < (uint)Count);
        return ref _slots[index].Score;
    }

    /// <summary>Makes all marks 0.</summary>
    public void ClearMarks()
    {
        foreach (ref var slot in _slots.AsSpan(0, Count))
            slot.Mark = 0;
    }

    public void Dispose()
    {
        PooledGrowth.Return(_heads);
        PooledGrowth.Return(_slots);
        (_heads, _slots) = ([], []);
    }

    private int Find<TNames>(ref TNames names, scoped ReadOnlySpan<byte> name, uint hash)
        where TNames : struct, IKeySource, allows ref struct
    {
        for (int next = _heads[hash & _mask]; next != 0; next = _slots[next - 1].Next)
        {
            if (_slots[next - 1].Hash == hash && names.GetKey(next - 1).SequenceEqual(name))
                return next - 1;
        }

        return -1;
    }

    private struct Slot
    {
        public uint Hash;
        public int First;
        public int Next;
        public int Mark;
        public double Score;
    }
}
