using System.Buffers;
using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Sets;

/// <summary>A union, intersection or difference of sets that it takes one after the other; dispose it.</summary>
/// <remarks>bytesMax: Of the members, beyond which it refuses to take more.</remarks>
internal sealed class SetCombiner(StoreState state, SetCombination combination, long bytesMax) : IDisposable
{
    private readonly MemberTable _members = new(state, bytesMax);
    private readonly LargeResult _large = new(state, EntryKind.Set);

    // The members that belong, once that is asked for.
    private int[] _belonging = [];

    // Sets taken so far. A member's mark is the number of those that it is known to belong in.
    private int _taken;

    /// <summary>The number of members, once all sets are taken.</summary>
    public int Count { get; private set; }

    /// <summary>Takes the set of a key.</summary>
    public WriteStatus Take(scoped in EntryKey key)
    {
        using var copy = CollectionCopy.Take(state, key, EntryKind.Set, out var read);
        if (read == ReadStatus.WrongType)
            return WriteStatus.WrongType;
        var taker = new Taker(this, adds: _taken == 0 || combination == SetCombination.Union);
        if (!copy.IsObject)
            TakeAll(copy.Table, ref taker);
        else if (taker.Adds || _members.Count > copy.View.Count)
            MemberView.TellAll(state, copy.View, ref taker);
        else
            MarkFound(copy.View);
        _taken++;
        return taker.IsFull ? WriteStatus.CollectionTooLong : WriteStatus.Done;
    }

    /// <summary>Ends: all sets are taken.</summary>
    public void End()
    {
        Count = 0;
        for (int i = 0; i < _members.Count; i++)
            Count += Belongs(i) ? 1 : 0;
    }

    /// <summary>Begins anew.</summary>
    public void Clear()
    {
        _members.Clear();
        _large.Discard();
        (_taken, Count) = (0, 0);
    }

    /// <summary>What a journal is told of a long result.</summary>
    public int ToldBytes => _large.ToldBytes;

    /// <summary>Makes the members a large collection, if they do not fit in a record; the key is not locked.</summary>
    public WriteStatus Prepare(scoped in EntryKey key)
    {
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            if (Count == 0 || TryPack(key, memory, out _))
                return WriteStatus.Done;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(memory);
        }

        var members = new MemberSource<Members>(new Members(this));
        return _large.Make(key, ref members);
    }

    /// <summary>Tells the members.</summary>
    public void CopyTo<TSink>(ref TSink sink)
        where TSink : struct, IMemberSink, allows ref struct
    {
        sink.Begin(Count);
        for (int i = 0; i < _members.Count && !sink.IsFull; i++)
        {
            if (Belongs(i))
                sink.Take(_members[i]);
        }
    }

    /// <summary>Makes the members the value of a key.</summary>
    public WriteStatus Store(scoped in EntryKey key)
    {
        Debug.Assert(Count > 0);
        if (_large.IsMade)
            return _large.Link(key);
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            return TryPack(key, memory, out var editor)
                ? CollectionReplacer.Write(state, key, EntryKind.Set, editor)
                : WriteStatus.CollectionTooLong;
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
    }

    public void Dispose()
    {
        _members.Dispose();
        _large.Dispose();
        PooledGrowth.Return(_belonging);
        _belonging = [];
    }

    // False if they do not fit in a record.
    private bool TryPack(scoped in EntryKey key, Span<byte> memory, out PackedEditor editor)
    {
        editor = new PackedEditor(PackedShape.Set, memory);
        if (_members.Bytes > PackedTable.LengthMax && combination == SetCombination.Union)
            return false;
        long integersMax = state.EncodingLimits.SetIntegers;
        for (int i = 0; i < _members.Count; i++)
        {
            if (Belongs(i) && !SetOrder.TryAdd(ref editor, _members[i], integersMax))
                return false;
        }

        return CollectionLimits.MayBecome(state.ShardOf(key.Hash), key, lengthBefore: 0, editor.Length);
    }

    private bool Belongs(int index) => combination switch
    {
        SetCombination.Union => true,
        SetCombination.Intersection => _members.MarkAt(index) == _taken - 1,
        _ => _members.MarkAt(index) == 0,
    };

    private static void TakeAll(in PackedTable table, ref Taker taker)
    {
        for (var place = PackedTable.BeforeFirst; !taker.IsFull && table.TryMoveNext(ref place);)
            taker.Take(table.NameAt(place), score: 0);
    }

    // Of a large set, only those that are here are looked for.
    private void MarkFound(in ObjectView view)
    {
        for (int i = 0; i < _members.Count; i++)
        {
            if (view.TryFindName(_members[i], out _))
                Mark(i);
        }

        state.ThrowIfDisposed();
    }

    // Of an intersection, a mark counts the sets behind the first that all have the member; of a difference, 1 ends it.
    private void Mark(int index)
    {
        ref int mark = ref _members.MarkAt(index);
        if (combination == SetCombination.Difference)
            mark = 1;
        else if (mark == _taken - 1)
            mark = _taken;
    }

    // Indexes of the members that belong.
    private ReadOnlySpan<int> Belonging()
    {
        if (_belonging.Length < Count)
        {
            PooledGrowth.Return(_belonging);
            _belonging = PooledGrowth.Rent<int>(Count);
        }

        for (int i = 0, found = 0; i < _members.Count; i++)
        {
            if (Belongs(i))
                _belonging[found++] = i;
        }

        return _belonging.AsSpan(0, Count);
    }

    private struct Taker(SetCombiner combiner, bool adds) : IScoredMemberSink
    {
        public readonly bool Adds => adds;

        // There is no room for another one.
        public bool IsFull { get; private set; }

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member, double score)
        {
            if (adds)
            {
                IsFull = combiner._members.Add(member, out _) < 0;
                return;
            }

            int index = combiner._members.Find(member);
            if (index >= 0)
                combiner.Mark(index);
        }
    }

    private readonly ref struct Members(SetCombiner combiner) : IKeySource
    {
        private readonly ReadOnlySpan<int> _indexes = combiner.Belonging();

        public int Count => _indexes.Length;

        public ReadOnlySpan<byte> GetKey(int index) => combiner._members[_indexes[index]];
    }
}
