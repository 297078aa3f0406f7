using System.Diagnostics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Redis's HyperLogLog: a string of a header and 16,384 registers, in one of two forms.</summary>
/// <remarks>
/// <code>
///  0      4          5          8             16
///  │ HYLL │ form 1   │ unused 3 │ cardinality │ registers …
///          0 dense               little-endian; bit 63: it is to be computed again
///          1 sparse
/// </code>
/// Dense: six bits a register, from the lowest bit of the first byte on. Sparse: see <see cref="HllSparse"/>. The
/// bytes are Redis's own, so that GET, SET, dumps and replicas carry them; so any client may have written them, and
/// nothing of them is trusted. Source: Redis 7.0's hyperloglog.c.
/// </remarks>
internal static class HllFormat
{
    public const int Registers = 1 << IndexBits;
    public const int HeaderLength = 16;
    public const int DenseLength = HeaderLength + (Registers * HllDense.RegisterBits + 7) / 8;

    /// <summary>No valid one is longer: sparse, two bytes for each register.</summary>
    public const int LengthMax = HeaderLength + 2 * Registers;

    /// <summary>Redis's hll-sparse-max-bytes, as configured by default: a longer one becomes dense.</summary>
    public const int SparseLengthMax = 3000;

    /// <summary>The bits of a hash that choose the register.</summary>
    public const int IndexBits = 14;

    private const int FormOffset = 4;
    private const int CardinalityOffset = 8;
    private const int OutdatedOffset = 15;
    private const byte OutdatedFlag = 0x80;
    private const byte SparseForm = 1;

    private static ReadOnlySpan<byte> Magic => "HYLL"u8;

    /// <summary>Whether the bytes are a HyperLogLog as far as header and length tell, as in Redis.</summary>
    public static bool HasHeader(ReadOnlySpan<byte> text) =>
        text.Length >= HeaderLength && text.StartsWith(Magic) && text[FormOffset] <= SparseForm
        && (IsSparse(text) || text.Length == DenseLength);

    /// <summary>Whether the registers are all there.</summary>
    /// <remarks>text: It has a header.</remarks>
    public static bool IsWhole(ReadOnlySpan<byte> text) =>
        !IsSparse(text) || HllSparse.IsWhole(text[HeaderLength..]);

    public static bool IsSparse(ReadOnlySpan<byte> text) => text[FormOffset] == SparseForm;

    /// <summary>Writes one without elements.</summary>
    /// <returns>Its length.</returns>
    public static int WriteEmpty(Span<byte> text)
    {
        text[..HeaderLength].Clear();
        Magic.CopyTo(text);
        text[FormOffset] = SparseForm;
        return HeaderLength + HllSparse.WriteZeros(text[HeaderLength..], Registers);
    }

    /// <summary>Makes a whole one dense.</summary>
    /// <param name="text">Room for the longest; it begins with the present one.</param>
    /// <param name="length">The length of the present one.</param>
    /// <returns>Its length.</returns>
    public static int MakeDense(Span<byte> text, int length)
    {
        if (!IsSparse(text))
            return length;
        Span<byte> most = stackalloc byte[Registers];
        most.Clear();
        bool isWhole = TryMerge(text[..length], most);
        Debug.Assert(isWhole, "It was checked.");
        text[FormOffset] = 0;
        text[HeaderLength..DenseLength].Clear();
        for (int i = 0; i < most.Length; i++)
        {
            if (most[i] != 0)
                HllDense.Set(text[HeaderLength..DenseLength], i, most[i]);
        }

        return DenseLength;
    }

    /// <summary>The value of one register.</summary>
    /// <remarks>text: It has a header.</remarks>
    /// <returns>False if the registers before it are not all there.</returns>
    public static bool TryGetRegister(ReadOnlySpan<byte> text, int index, out int value)
    {
        var registers = text[HeaderLength..];
        if (IsSparse(text))
            return HllSparse.TryGet(registers, index, out value);
        value = HllDense.Get(registers, index);
        return true;
    }

    /// <summary>Raises each register to that of a HyperLogLog, if that is more.</summary>
    /// <returns>False if it is not whole: then some may be raised.</returns>
    public static bool TryMerge(ReadOnlySpan<byte> text, Span<byte> most)
    {
        Debug.Assert(most.Length == Registers);
        var registers = text[HeaderLength..];
        if (IsSparse(text))
            return HllSparse.TryMerge(registers, most);
        for (int i = 0; i < Registers; i++)
            most[i] = Math.Max(most[i], HllDense.Get(registers, i));
        return true;
    }

    /// <summary>The number of elements, as it was computed last.</summary>
    /// <returns>False if it has changed since.</returns>
    public static bool TryGetCardinality(ReadOnlySpan<byte> text, out long cardinality)
    {
        cardinality = BitConverter.ToInt64(text[CardinalityOffset..]);
        return (text[OutdatedOffset] & OutdatedFlag) == 0;
    }

    public static void SetCardinality(Span<byte> text, long cardinality) =>
        BitConverter.TryWriteBytes(text[CardinalityOffset..], cardinality);

    /// <summary>Notes that a register has changed.</summary>
    public static void MarkOutdated(Span<byte> text) => text[OutdatedOffset] |= OutdatedFlag;
}
