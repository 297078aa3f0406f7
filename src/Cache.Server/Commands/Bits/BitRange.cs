using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>
/// The range of BITCOUNT and BITPOS: of bytes or of bits, its ends perhaps counted from the value's end.
/// </summary>
/// <param name="First">The first byte or bit; negative: from the end, −1 being the last.</param>
/// <param name="Last">The last one, in the same way.</param>
/// <param name="IsOfBits">Whether it counts bits.</param>
internal readonly record struct BitRange(long First, long Last, bool IsOfBits)
{
    /// <summary>The whole value.</summary>
    public static BitRange All => new(0, -1, IsOfBits: false);

    /// <summary>Whether both ends are counted from the value's end, and the last one is before the first.</summary>
    public bool IsReversed => First < 0 && Last < 0 && First > Last;

    /// <summary>BYTE or BIT, or nothing, which is BYTE.</summary>
    public static bool TryParseUnit(in RespRequest request, int index, out bool isOfBits)
    {
        isOfBits = index < request.Count && request[index].Is("BIT"u8);
        return isOfBits || index >= request.Count || request[index].Is("BYTE"u8);
    }

    /// <summary>The range's bits in a value of this many bytes; none if the first is behind the last.</summary>
    public (long First, long Last) Within(long length)
    {
        long total = IsOfBits ? length * 8 : length;
        long first = Math.Max(0, First < 0 ? total + First : First);
        long last = Math.Min(total - 1, Math.Max(0, Last < 0 ? total + Last : Last));
        return IsOfBits || first > last ? (first, last) : (first * 8, last * 8 + 7);
    }

    /// <summary>The bytes of such a value that are read.</summary>
    public long WorkOn(long length)
    {
        var (first, last) = Within(length);
        return first > last ? 0 : (last - first) / 8 + 1;
    }
}
