using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Core.Collections.Packed;

/// <summary>A score as the value of an entry: a whole number in as few bytes as it needs, else a double.</summary>
/// <remarks>
/// The length tells the form: 0 the score 0, 1 to 7 a whole number with its sign, 8 a double. So each score has one
/// form, and −0 is a double.
/// </remarks>
internal static class PackedScore
{
    public const int LengthMax = sizeof(double);

    // From here on not every whole number is a double, and none is shorter than one.
    private const double WholeMax = 1L << 53;

    /// <summary>Writes a score to the beginning of 8 bytes.</summary>
    /// <returns>Its length.</returns>
    public static int Write(double score, Span<byte> bytes)
    {
        Debug.Assert(!double.IsNaN(score));
        Debug.Assert(bytes.Length >= LengthMax);
        if (Math.Abs(score) <= WholeMax && score == (long)score && !(score == 0 && double.IsNegative(score)))
        {
            long whole = (long)score;
            BinaryPrimitives.WriteInt64LittleEndian(bytes, whole);
            int length = 0;
            while (length < LengthMax - 1 && whole != SignExtended(whole, length))
                length++;
            return length;
        }

        BinaryPrimitives.WriteDoubleLittleEndian(bytes, score);
        return LengthMax;
    }

    /// <returns>False if the bytes are no score: they are torn, or damaged.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out double score)
    {
        score = 0;
        if (bytes.Length >= LengthMax)
        {
            score = BinaryPrimitives.ReadDoubleLittleEndian(bytes);
            return bytes.Length == LengthMax && !double.IsNaN(score);
        }

        long whole = 0;
        for (int i = bytes.Length - 1; i >= 0; i--)
            whole = (whole << 8) | bytes[i];
        score = SignExtended(whole, bytes.Length);
        return true;
    }

    /// <summary>As <see cref="TryRead"/>, but only of the form that is written.</summary>
    public static bool IsWhole(ReadOnlySpan<byte> bytes, out double score)
    {
        Span<byte> written = stackalloc byte[LengthMax];
        return TryRead(bytes, out score) && Write(score, written) == bytes.Length;
    }

    // Of the lowest bytes.
    private static long SignExtended(long whole, int length)
    {
        if (length == 0)
            return 0;
        int unused = 64 - 8 * length;
        return (whole << unused) >> unused;
    }
}
