using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Lists;

/// <summary>
/// Reads a range of a list: copies a small one as it is stored, and of a large one the elements, if they are few.
/// </summary>
/// <remarks>room: As long as a packed collection. found: Takes the elements.</remarks>
internal ref struct RangeOfListQuery(long first, long last, Span<byte> room, TakenMembers found)
    : IPackedQuery, IObjectQuery
{
    /// <summary>The most elements that are copied without a snapshot.</summary>
    public const int ElementsMax = 128;

    private readonly Span<byte> _room = room;
    private int _length;

    /// <summary>Whether it is a large one.</summary>
    public bool IsObject { get; private set; }

    /// <summary>Whether the range is to be read from a snapshot: it is long, or has a long element.</summary>
    public bool IsLong { get; private set; }

    /// <summary>A small one as it is stored.</summary>
    public readonly PackedTable Table
    {
        get
        {
            if (!PackedTable.TryOpen(_room[.._length], PackedShape.List, out var table) && _length != 0)
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
        found.Clear();
        var (start, length) = ListRange.Within(first, last, view.Count);
        (IsObject, IsLong) = (true, length > ElementsMax);
        var cursor = view.First<ByPosition>().At((uint)start);
        for (long left = length; left > 0 && !IsLong && cursor.IsValid; left--, cursor.MoveNext())
        {
            IsLong = cursor.Entry.IsNameStub;
            if (!IsLong)
                found.Add(cursor.Entry.Name, score: 0);
        }
    }

    public readonly void Copy(in ObjectView view)
    {
    }
}
