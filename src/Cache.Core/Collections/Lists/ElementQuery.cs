using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Lists;

/// <summary>Copies an element of a list into the span of a sink, which is not told yet.</summary>
internal ref struct ElementQuery<TSink>(long index, TSink sink) : IPackedQuery, IObjectQuery
    where TSink : struct, IValueSink, allows ref struct
{
    // Where the element begins, or lies.
    private int _start;
    private ReadOnlySpan<byte> _element;

    public TSink Sink = sink;

    public bool IsFound { get; private set; }

    /// <summary>Whether the element is long, so that it is not copied: see <see cref="LongElementReader"/>.</summary>
    public bool IsLong { get; private set; }

    /// <summary>The length of the element.</summary>
    public int Length { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (IsFound, IsLong, Length) = (false, false, 0);
        if (!PackedTable.TryOpen(packed, PackedShape.List, out var table))
            return;
        long at = ListRange.Resolve(index, table.Count);
        if (at < 0 || at >= table.Count || !table.TryGetAt((int)at, out var place))
            return;
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
        IsFound = view.TryGetAt(ListRange.Resolve(index, view.Count), out var entry);
        _element = entry.Name;
        IsLong = IsFound && entry.IsNameStub;
        Length = IsFound ? entry.NameLength : 0;
    }

    public void Copy(in ObjectView view)
    {
        if (IsFound && !IsLong)
            _element.CopyTo(Sink.GetSpan(Length));
    }
}
