using System.Buffers;
using System.Diagnostics;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Sets;

/// <summary>A union, intersection or difference of sets that it takes one after the other; dispose it.</summary>
/// <remarks>
/// bytesMax: Of the members, beyond which it refuses to take more. isStored: Whether it must fit into a record, which a
/// union never does again once it is too long.
/// </remarks>
internal sealed class SetCombiner(StoreState state, SetCombination combination, long bytesMax, bool isStored)
    : IDisposable
{
    private readonly MemberTable _members = new(state, bytesMax);

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
        bool isAdded = _taken == 0 || combination == SetCombination.Union;
        bool isTaken = isAdded ? TryAdd(copy.Table) : Mark(copy.Table);
        _taken++;
        bool isTooLong = isStored && combination == SetCombination.Union && _members.Bytes > PackedTable.LengthMax;
        return isTaken && !isTooLong ? WriteStatus.Done : WriteStatus.CollectionTooLong;
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
        (_taken, Count) = (0, 0);
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

    /// <summary>Makes the members the value of a key; none: removes the key.</summary>
    public WriteStatus Store(scoped in EntryKey key)
    {
        Debug.Assert(Count > 0);
        byte[] memory = ArrayPool<byte>.Shared.Rent(PackedEditor.MemorySize);
        try
        {
            var editor = new PackedEditor(PackedShape.Set, memory);
            long integersMax = state.EncodingLimits.SetIntegers;
            for (int i = 0; i < _members.Count; i++)
            {
                if (Belongs(i) && !SetOrder.TryAdd(ref editor, _members[i], integersMax))
                    return WriteStatus.CollectionTooLong;
            }

            return CollectionReplacer.Write(state, key, EntryKind.Set, editor);
        }
        finally // The store may have been disposed.
        {
            ArrayPool<byte>.Shared.Return(memory);
        }
    }

    public void Dispose() => _members.Dispose();

    private bool Belongs(int index) => combination switch
    {
        SetCombination.Union => true,
        SetCombination.Intersection => _members.MarkAt(index) == _taken - 1,
        _ => _members.MarkAt(index) == 0,
    };

    private bool TryAdd(in PackedTable table)
    {
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            if (_members.Add(table.NameAt(place), out _) < 0)
                return false;
        }

        return true;
    }

    // Of an intersection, a mark counts the sets behind the first that all have the member; of a difference, 1 ends it.
    private bool Mark(in PackedTable table)
    {
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            int index = _members.Find(table.NameAt(place));
            if (index < 0)
                continue;
            ref int mark = ref _members.MarkAt(index);
            if (combination == SetCombination.Difference)
                mark = 1;
            else if (mark == _taken - 1)
                mark = _taken;
        }

        return true;
    }
}
