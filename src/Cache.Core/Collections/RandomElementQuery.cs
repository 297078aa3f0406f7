using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections;

/// <summary>Copies the name of an element at random into the span of a sink, which is not told yet.</summary>
internal ref struct RandomElementQuery<TSink>(PackedShape shape, TSink sink) : IPackedQuery, IObjectQuery
    where TSink : struct, IValueSink, allows ref struct
{
    // Where the name begins, or lies.
    private int _start;
    private ReadOnlySpan<byte> _name;

    public TSink Sink = sink;

    public bool IsFound { get; private set; }

    /// <summary>The length of the name.</summary>
    public int Length { get; private set; }

    /// <summary>Whether the name is a long one: it is not copied, and there is to be read from a snapshot.</summary>
    public bool IsLong { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (IsFound, Length, IsLong) = (false, 0, false);
        if (!PackedTable.TryOpen(packed, shape, out var table) || table.Count == 0
            || !table.TryGetAt(Random.Shared.Next(table.Count), out var place))
        {
            return;
        }

        IsFound = true;
        Length = place.NameLength;
        _start = packed.Length - table.Entries.Length + place.NameStart;
    }

    public void Copy(ReadOnlySpan<byte> packed)
    {
        if (IsFound)
            packed.Slice(_start, Length).CopyTo(Sink.GetSpan(Length));
    }

    public void Read(in ObjectView view)
    {
        (IsFound, Length, IsLong) = (false, 0, false);
        if (view.Count == 0)
            return;
        uint rank = RandomRanks.Next(view.Count);
        if (view.Kind == EntryKind.Set)
            Read(view.First<ByHash>().At(rank));
        else
            Read(view.First<ByHashWithValue>().At(rank));
    }

    public void Copy(in ObjectView view)
    {
        if (IsFound && !IsLong)
            _name.CopyTo(Sink.GetSpan(Length));
    }

    private void Read<TOrder>(in TreeCursor<TOrder> cursor)
        where TOrder : struct, ITreeOrder
    {
        IsFound = cursor.IsValid;
        if (!IsFound)
            return;
        var entry = cursor.Entry;
        IsLong = entry.IsNameStub;
        _name = entry.Name;
        Length = _name.Length;
    }
}
