using System.Diagnostics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>The dense form: six bits for each register.</summary>
internal static class HllDense
{
    public const int RegisterBits = 6;

    private const int RegisterMax = (1 << RegisterBits) - 1;

    public static byte Get(ReadOnlySpan<byte> registers, int index)
    {
        int first = index * RegisterBits / 8;
        int shift = index * RegisterBits % 8;
        int pair = registers[first] | (first + 1 < registers.Length ? registers[first + 1] << 8 : 0);
        return (byte)((pair >> shift) & RegisterMax);
    }

    public static void Set(Span<byte> registers, int index, int value)
    {
        Debug.Assert(value is >= 0 and <= RegisterMax);
        int first = index * RegisterBits / 8;
        int shift = index * RegisterBits % 8;
        int pair = registers[first] | (first + 1 < registers.Length ? registers[first + 1] << 8 : 0);
        pair = (pair & ~(RegisterMax << shift)) | (value << shift);
        registers[first] = (byte)pair;
        if (first + 1 < registers.Length)
            registers[first + 1] = (byte)(pair >> 8);
    }
}
