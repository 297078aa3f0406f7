using System.Globalization;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFSELFTEST: whether registers keep what is written, and whether estimates are exact enough.</summary>
internal static class HllSelfTest
{
    private const int Cycles = 100;
    private const int ElementsMax = 200_000;

    // Of this many standard errors, as in Redis; the standard error is 1.04 divided by the root of the registers.
    private const double ErrorsMax = 6;

    /// <returns>What is wrong; null if nothing is.</returns>
    public static string? Run() => TestRegisters() ?? TestEstimates();

    private static string? TestRegisters()
    {
        byte[] registers = new byte[HllFormat.DenseLength - HllFormat.HeaderLength];
        byte[] expected = new byte[HllFormat.Registers];
        for (int cycle = 0; cycle < Cycles; cycle++)
        {
            for (int i = 0; i < expected.Length; i++)
            {
                expected[i] = (byte)Random.Shared.Next(HllEstimate.Values);
                HllDense.Set(registers, i, expected[i]);
            }

            for (int i = 0; i < expected.Length; i++)
            {
                if (HllDense.Get(registers, i) != expected[i])
                    return $"Register {i} should be {expected[i]} but is {HllDense.Get(registers, i)}";
            }
        }

        return null;
    }

    private static string? TestEstimates()
    {
        var editor = new HllEditor(new byte[HllEditor.MemorySize]);
        editor.Read(default, exists: false);
        double relativeMax = ErrorsMax * 1.04 / Math.Sqrt(HllFormat.Registers);
        long checkpoint = 1;
        Span<byte> element = stackalloc byte[sizeof(ulong)];
        ulong seed = (ulong)Random.Shared.NextInt64();
        for (long count = 1; count <= ElementsMax; count++)
        {
            BitConverter.TryWriteBytes(element, (ulong)count ^ seed);
            var (index, value) = HllHash.Of(element);
            editor.Set(index, value);
            if (count != checkpoint)
                continue;
            checkpoint *= 10;
            if (!HllEstimate.TryOf(editor.Text, out long estimate))
                return "The registers are not whole";
            if (Math.Abs(estimate - count) > Math.Ceiling(relativeMax * count))
                return string.Create(
                    CultureInfo.InvariantCulture, $"Too big error. card:{count} abserr:{estimate - count}");
        }

        return null;
    }
}
