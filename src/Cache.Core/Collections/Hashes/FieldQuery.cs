using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Expiry;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Hashes;

/// <summary>Copies the value of one field into the span of a sink, which is not told yet.</summary>
internal ref struct FieldQuery<TSink>(FieldClock fields, ReadOnlySpan<byte> name, TSink sink)
    : IPackedQuery, IObjectQuery
    where TSink : struct, IValueSink, allows ref struct
{
    private readonly ReadOnlySpan<byte> _name = name;
    private readonly byte _print = PackedPrint.Of(name);

    // Where the value begins, or lies.
    private int _start;
    private ReadOnlySpan<byte> _value;

    public TSink Sink = sink;

    public bool IsFound { get; private set; }

    /// <summary>Whether the value is long, so that it is not copied: see <see cref="LongElementReader"/>.</summary>
    public bool IsLong { get; private set; }

    /// <summary>The length of the value.</summary>
    public int Length { get; private set; }

    public void Read(ReadOnlySpan<byte> packed)
    {
        (IsFound, IsLong, Length) = (false, false, 0);
        if (!PackedTable.TryOpen(packed, PackedShape.Hash, out var table)
            || !table.TryFind(_name, _print, out var place) || fields.HasPassed(place.Moment))
        {
            return;
        }

        IsFound = true;
        Length = place.ValueLength;
        _start = packed.Length - table.Entries.Length + place.ValueStart;
    }

    public void Copy(ReadOnlySpan<byte> packed)
    {
        if (IsFound)
            packed.Slice(_start, Length).CopyTo(Sink.GetSpan(Length));
    }

    public void Read(in ObjectView view)
    {
        IsFound = view.TryFindField(_name, out var entry);
        _value = entry.Value;
        IsLong = IsFound && entry.IsValueStub;
        Length = IsFound ? entry.ValueLength : 0;
    }

    public void Copy(in ObjectView view)
    {
        if (IsFound && !IsLong)
            _value.CopyTo(Sink.GetSpan(Length));
    }
}
