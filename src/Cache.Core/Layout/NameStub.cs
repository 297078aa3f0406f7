using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>What a tree has of a name too long for its pages; of a list, whose items have none, the end.</summary>
/// <remarks>
/// <code>
///  ordered part │ label │ label length 1 │ ElementStub 12
/// </code>
/// The tree orders and finds it by the first part. So two names of a tree that are different have different ones. The
/// label is its owner's. Read from a page that another thread may be changing, all of it is garbage.
/// </remarks>
internal static class NameStub
{
    /// <summary>What it takes beside the first part and the label.</summary>
    public const int OverheadSize = 1 + ElementStub.Size;

    /// <summary>The longest label.</summary>
    public const int LabelLengthMax = byte.MaxValue;

    /// <summary>The part that it is ordered by, of whatever is there.</summary>
    public static ReadOnlySpan<byte> OrderedPartOf(ReadOnlySpan<byte> stub)
    {
        int end = stub.Length - OverheadSize;
        return end < 0 ? default : stub[..Math.Max(0, end - stub[end])];
    }

    /// <summary>The label, of whatever is there.</summary>
    public static ReadOnlySpan<byte> LabelOf(ReadOnlySpan<byte> stub)
    {
        int end = stub.Length - OverheadSize;
        return end < 0 ? default : stub[Math.Max(0, end - stub[end])..end];
    }

    /// <summary>Writes one.</summary>
    /// <returns>The bytes that it takes.</returns>
    public static int Write(
        Span<byte> to, scoped ReadOnlySpan<byte> ordered, scoped ReadOnlySpan<byte> label,
        scoped ReadOnlySpan<byte> stub)
    {
        Debug.Assert(stub.Length == ElementStub.Size);
        Debug.Assert(label.Length <= LabelLengthMax);
        ordered.CopyTo(to);
        label.CopyTo(to[ordered.Length..]);
        int end = ordered.Length + label.Length;
        to[end] = (byte)label.Length;
        stub.CopyTo(to[(end + 1)..]);
        return end + OverheadSize;
    }
}
