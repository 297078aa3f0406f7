using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Copies the name of an element at random into the span of a sink, which is not told yet.</summary>
internal ref struct RandomElementQuery<TSink>(PackedShape shape, TSink sink) : IPackedQuery
    where TSink : struct, IValueSink, allows ref struct
{
    // Where the name begins.
    private int _start;

    public TSink Sink = sink;

    public bool IsFound { get; private set; }

    /// <summary>The length of the name.</summary>
    public int Length { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (IsFound, Length) = (false, 0);
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
}
