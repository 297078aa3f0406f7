using System.Numerics;

namespace Cache.Server.Commands.Bits;

/// <summary>Combines the bits of two spans, some dozens of bytes at a time.</summary>
internal static class BitLogics
{
    /// <summary>Combines the target's bytes with the same number of a source's; or inverts the source's.</summary>
    public static void Combine(BitLogic logic, Span<byte> target, ReadOnlySpan<byte> source)
    {
        int vectorBytes = Vector<byte>.Count;
        int i = 0;
        for (; i <= source.Length - vectorBytes; i += vectorBytes)
        {
            var one = new Vector<byte>(target[i..]);
            var other = new Vector<byte>(source[i..]);
            var combined = logic switch
            {
                BitLogic.And => one & other,
                BitLogic.Or => one | other,
                BitLogic.Xor => one ^ other,
                _ => ~other,
            };
            combined.CopyTo(target[i..]);
        }

        for (; i < source.Length; i++)
        {
            target[i] = logic switch
            {
                BitLogic.And => (byte)(target[i] & source[i]),
                BitLogic.Or => (byte)(target[i] | source[i]),
                BitLogic.Xor => (byte)(target[i] ^ source[i]),
                _ => (byte)~source[i],
            };
        }
    }
}
