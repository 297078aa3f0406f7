using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>The order of long members of one score: a tree has the beginning of each, and behind it a label.</summary>
/// <remarks>
/// <code>
///  the member's first 1,024 bytes │ counter 8 │ fraction 0–235
/// </code>
/// Members of one score that begin alike are compared once, by who adds one and holds the collection, in their blocks.
/// The new one gets a label between its neighbours'. So the tree orders bytes, as ever, and readers look at no block.
/// A plain member has no more than such a beginning, and comes before those that are longer.
/// </remarks>
internal static class MemberLabels
{
    /// <summary>The longest label: with the beginning and a stub it is an element.</summary>
    public const int LengthMax = TreeEntry.LengthMax - ElementSizes.NameLengthMax - NameStub.OverheadSize;

    /// <summary>The bytes of what a tree by scores has of a long member.</summary>
    public const int OrderedMax = ElementSizes.NameLengthMax + LengthMax;

    private const int CounterSize = sizeof(ulong);
    private const ulong FirstCounter = 1UL << 63;

    // Above the first byte of each label.
    private const byte AboveAll = byte.MaxValue;

    // Where members come one behind the other, each takes so small a part of the gap: 256 of them take the bits of 1.4.
    private const int SequenceShift = 8;

    /// <summary>Makes what the tree by scores has of a member: its beginning, and its label.</summary>
    public static int Write(Span<byte> to, scoped ReadOnlySpan<byte> member, scoped ReadOnlySpan<byte> label)
    {
        Debug.Assert(LongName.Is(member));
        member[..ElementSizes.NameLengthMax].CopyTo(to);
        label.CopyTo(to[ElementSizes.NameLengthMax..]);
        return ElementSizes.NameLengthMax + label.Length;
    }

    /// <summary>Makes the label of a new member; the caller holds the object.</summary>
    /// <returns>Its length; −1 if there is no room between the neighbours.</returns>
    public static int Make(TreeReader<ByScore> scores, ulong key, ReadOnlySpan<byte> member, Span<byte> label)
    {
        var (first, end) = GroupOf(scores, key, member);
        long low = first, high = end;
        while (low < high)
        {
            long middle = (low + high) / 2;
            if (NameAt(scores, middle).SequenceCompareTo(member) < 0)
                low = middle + 1;
            else
                high = middle;
        }

        if (low == first || low == end)
        {
            return MakeAtEnd(
                low > first ? LabelAt(scores, low - 1) : default, low < end ? LabelAt(scores, low) : default, label);
        }

        var left = NumberAt(scores, low - 1);
        var right = NumberAt(scores, low);
        var gap = right - left;
        var target = left + (gap >> 1);
        var part = gap >> SequenceShift;
        if (part.IsZero)
            return Shorten(target, left, label); // The last places: none may be a neighbour's.
        if (low - 1 > first && left - NumberAt(scores, low - 2) <= gap)
            target = left + part;
        else if (low + 1 < end && NumberAt(scores, low + 1) - right <= gap)
            target = right - part;
        return Shorten(target, left, label);
    }

    /// <summary>The members of a score that begin as one does: where they begin and end.</summary>
    public static (long First, long End) GroupOf(TreeReader<ByScore> scores, ulong key, ReadOnlySpan<byte> member)
    {
        Span<byte> above = stackalloc byte[ElementSizes.NameLengthMax + 1];
        var beginning = member[..ElementSizes.NameLengthMax];
        beginning.CopyTo(above);
        above[^1] = AboveAll;
        long first = scores.CountBelow(key, beginning), end = scores.CountBelow(key, above);
        var cursor = scores.At((uint)first);
        if (first < end && cursor.IsValid && !cursor.Entry.IsNameStub)
            first++;
        return (first, end);
    }

    private static int MakeAtEnd(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right, Span<byte> label)
    {
        ulong counter = left.IsEmpty
            ? right.IsEmpty ? FirstCounter : BinaryPrimitives.ReadUInt64BigEndian(right) - 1
            : BinaryPrimitives.ReadUInt64BigEndian(left) + 1;
        BinaryPrimitives.WriteUInt64BigEndian(label, counter);
        return CounterSize;
    }

    // The shortest one that is above the left one, and not above the target.
    private static int Shorten(BigInteger target, BigInteger left, Span<byte> label)
    {
        if (target <= left)
            return -1;
        Span<byte> bytes = stackalloc byte[LengthMax];
        bytes.Clear();
        target.TryWriteBytes(bytes[(LengthMax - target.GetByteCount(isUnsigned: true))..], out _, true, true);
        int length = CounterSize;
        while (length < LengthMax && NumberOf(bytes[..length]) <= left)
            length++;
        bytes[..length].CopyTo(label);
        return length;
    }

    private static BigInteger NumberAt(TreeReader<ByScore> scores, long rank) => NumberOf(LabelAt(scores, rank));

    private static BigInteger NumberOf(ReadOnlySpan<byte> label)
    {
        Span<byte> bytes = stackalloc byte[LengthMax];
        bytes.Clear();
        label.CopyTo(bytes);
        return new BigInteger(bytes, isUnsigned: true, isBigEndian: true);
    }

    private static ReadOnlySpan<byte> LabelAt(TreeReader<ByScore> scores, long rank) =>
        scores.At((uint)rank).Entry.OrderedName[ElementSizes.NameLengthMax..];

    private static ReadOnlySpan<byte> NameAt(TreeReader<ByScore> scores, long rank) =>
        LongName.NameOf(ElementStub.Read(scores.At((uint)rank).Entry.Stub).Block);
}
