using System.Diagnostics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>The number of elements that a HyperLogLog has probably seen.</summary>
/// <remarks>
/// Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", arXiv:1702.01284, in Redis's order of
/// operations, so that the numbers are its own.
/// </remarks>
internal static class HllEstimate
{
    /// <summary>More values than a register has.</summary>
    public const int Values = 64;

    // 0.5 / ln 2
    private const double Alpha = 0.721347520444481703680;

    /// <returns>False if it is not whole.</returns>
    public static bool TryOf(ReadOnlySpan<byte> text, out long cardinality)
    {
        Span<int> counts = stackalloc int[Values];
        counts.Clear();
        var registers = text[HllFormat.HeaderLength..];
        bool isWhole = true;
        if (HllFormat.IsSparse(text))
        {
            isWhole = HllSparse.TryCount(registers, counts);
        }
        else
        {
            for (int i = 0; i < HllFormat.Registers; i++)
                counts[HllDense.Get(registers, i)]++;
        }

        cardinality = isWhole ? Of(counts) : 0;
        return isWhole;
    }

    /// <summary>Of registers of a byte each.</summary>
    public static long OfRegisters(ReadOnlySpan<byte> registers)
    {
        Span<int> counts = stackalloc int[Values];
        counts.Clear();
        foreach (byte register in registers)
            counts[register]++;
        return Of(counts);
    }

    private static long Of(ReadOnlySpan<int> counts)
    {
        Debug.Assert(counts.Length == Values);
        const double M = HllFormat.Registers;
        double z = M * Tau((M - counts[HllHash.CountedBits + 1]) / M);
        for (int i = HllHash.CountedBits; i >= 1; i--)
            z = (z + counts[i]) * 0.5;
        z += M * Sigma(counts[0] / M);
        return (long)Math.Round(Alpha * M * M / z, MidpointRounding.AwayFromZero);
    }

    private static double Tau(double x)
    {
        if (x is 0 or 1)
            return 0;
        double y = 1;
        double z = 1 - x;
        double before;
        do
        {
            x = Math.Sqrt(x);
            before = z;
            y *= 0.5;
            z -= Math.Pow(1 - x, 2) * y;
        }
        while (before != z);

        return z / 3;
    }

    private static double Sigma(double x)
    {
        if (x == 1)
            return double.PositiveInfinity;
        double y = 1;
        double z = x;
        double before;
        do
        {
            x *= x;
            before = z;
            z += x * y;
            y += y;
        }
        while (before != z);

        return z;
    }
}
