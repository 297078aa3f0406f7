using System.Diagnostics;
using System.Numerics;

namespace Cache.Core.Compression;

/// <summary>How often compressing was worth it, by the length of the values: what seldom is, is tried seldom.</summary>
/// <remarks>Of one thread at a time. A class is a power of two.</remarks>
internal sealed class SuccessRates
{
    // While fewer than a quarter of the values of a class are worth it, one in so many is tried.
    private const int SeldomPeriod = 16;

    private const int Always = 1 << 12;
    private const int SeldomBelow = Always / 4;

    // The average forgets: a try counts a sixteenth.
    private const int WeightShift = 4;

    private readonly int[] _rates = new int[BitOperations.Log2(PackedValue.LengthMax) + 1];
    private readonly int[] _skipped = new int[BitOperations.Log2(PackedValue.LengthMax) + 1];

    public SuccessRates() => Reset();

    /// <summary>Whether a value of this length is to be tried.</summary>
    public bool IsWorthTrying(int length)
    {
        int index = ClassOf(length);
        if (_rates[index] >= SeldomBelow)
            return true;
        _skipped[index] = (_skipped[index] + 1) % SeldomPeriod;
        return _skipped[index] == 0;
    }

    /// <summary>Counts a try.</summary>
    public void Note(int length, bool isWorthIt)
    {
        int index = ClassOf(length);
        _rates[index] += ((isWorthIt ? Always : 0) - _rates[index]) >> WeightShift;
        Debug.Assert(_rates[index] is >= 0 and <= Always);
    }

    /// <summary>Forgets all: with another dictionary, other values are worth it.</summary>
    public void Reset()
    {
        Array.Fill(_rates, Always);
        Array.Clear(_skipped);
    }

    private static int ClassOf(int length) => BitOperations.Log2((uint)length);
}
