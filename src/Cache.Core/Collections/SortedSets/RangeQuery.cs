using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>
/// Finds a range of a sorted set: copies a small one as it is stored, and of a large one the members, if they are few.
/// </summary>
/// <remarks>room: As long as a packed collection. found: Takes the members; null: they are only counted.</remarks>
internal ref struct RangeQuery(SortedSetRange range, Span<byte> room, TakenMembers? found) : IPackedQuery, IObjectQuery
{
    /// <summary>The most members that are copied without a snapshot.</summary>
    public const int MembersMax = 128;

    private readonly SortedSetRange _range = range;
    private readonly Span<byte> _room = room;
    private int _length;

    /// <summary>Whether it is a large one.</summary>
    public bool IsObject { get; private set; }

    /// <summary>Whether long members are to be looked at: it is read from a snapshot.</summary>
    public bool IsLong { get; private set; }

    /// <summary>Of a large one: the range.</summary>
    public RangeSlice Slice { get; private set; }

    /// <summary>A small one as it is stored.</summary>
    public readonly PackedTable Table
    {
        get
        {
            if (!PackedTable.TryOpen(_room[.._length], PackedShape.SortedSet, out var table) && _length != 0)
                PackedCheck.ThrowDamaged();
            return table;
        }
    }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (IsObject, IsLong) = (false, false);
        _length = Math.Min(packed.Length, _room.Length);
        packed[.._length].CopyTo(_room);
    }

    public readonly void Copy(ReadOnlySpan<byte> packed)
    {
    }

    public void Read(in ObjectView view)
    {
        IsObject = true;
        Slice = RangeSlice.Of(view, _range, mayBorrow: false, out bool needsBlocks);
        IsLong = needsBlocks;
        found?.Clear();
        if (IsLong || found is null || Slice.Count is <= 0 or > MembersMax)
            return;
        long first = _range.IsReversed ? Slice.Index + Slice.Count - 1 : Slice.Index;
        var cursor = view.Second<ByScore>().At((uint)first);
        for (long left = Slice.Count; left > 0 && cursor.IsValid; left--)
        {
            var entry = cursor.Entry;
            IsLong |= entry.IsNameStub;
            if (IsLong)
                return;
            found.Add(entry.Name, MemberView.ScoreAt(view, cursor, entry.Name));
            if (_range.IsReversed)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
