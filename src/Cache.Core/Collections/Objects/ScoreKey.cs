using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Objects;

/// <summary>A score as 64 bits that are ordered as numbers are: the key of the tree by scores.</summary>
/// <remarks>0 and −0 are one key: the tree by members tells which a member has.</remarks>
internal static class ScoreKey
{
    private const ulong Sign = 1UL << 63;

    public static ulong Zero => Of(0);

    public static ulong Of(double score)
    {
        ulong bits = BitConverter.DoubleToUInt64Bits(score == 0 ? 0 : score);
        return (bits & Sign) != 0 ? ~bits : bits | Sign;
    }

    /// <remarks>score: As a packed sorted set has it; of torn bytes any.</remarks>
    public static ulong Of(ReadOnlySpan<byte> score)
    {
        PackedScore.TryRead(score, out double number);
        return Of(number);
    }

    /// <summary>The score of a key.</summary>
    public static double ScoreOf(ulong key) =>
        BitConverter.UInt64BitsToDouble((key & Sign) != 0 ? key & ~Sign : ~key);
}
