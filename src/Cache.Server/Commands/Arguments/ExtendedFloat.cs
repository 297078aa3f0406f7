using System.Diagnostics;
using System.Numerics;

namespace Cache.Server.Commands.Arguments;

/// <summary>A floating-point number of 80 bits, x86's "long double", with which Redis computes INCRBYFLOAT.</summary>
/// <remarks>
/// A value is ±mantissa × 2^exponent with a mantissa of 64 bits. Operations are exact in big integers and then rounded
/// once, to the nearest, ties to even: the same result as the processor's. They allocate; usual numbers are short.
/// </remarks>
internal readonly partial record struct ExtendedFloat
{
    /// <summary>The longest text that is a number, as in Redis, whose buffer has 5 KB with a zero byte.</summary>
    public const int TextLengthMax = (5 * 1024) - 1;

    private const int MantissaBits = 64;

    // The exponents of the last bit: of the smallest number, which has lost all bits but one, and of the largest.
    private const int ExponentMin = -16445;
    private const int ExponentMax = 16320;

    // Digits behind the point, before trailing zeros are removed.
    private const int FractionDigits = 17;

    private readonly BigInteger _mantissa;
    private readonly int _exponent;

    private ExtendedFloat(BigInteger mantissa, int exponent, bool isInfinite = false)
    {
        Debug.Assert(BigInteger.Abs(mantissa).GetBitLength() <= MantissaBits);
        Debug.Assert(exponent is >= ExponentMin and <= ExponentMax);
        _mantissa = mantissa;
        _exponent = exponent;
        IsInfinite = isInfinite;
    }

    /// <summary>Whether it was written as "inf". The result of an addition never is.</summary>
    public bool IsInfinite { get; }

    private static ExtendedFloat Infinity => new(BigInteger.Zero, 0, isInfinite: true);

    /// <summary>Adds two numbers.</summary>
    /// <returns>False if the sum is infinite or not a number.</returns>
    public static bool TryAdd(ExtendedFloat one, ExtendedFloat other, out ExtendedFloat sum)
    {
        sum = default;
        if (one.IsInfinite || other.IsInfinite)
            return false;
        int exponent = Math.Min(one._exponent, other._exponent);
        var first = one._mantissa << (one._exponent - exponent);
        var second = other._mantissa << (other._exponent - exponent);
        return TryRound(first + second, BigInteger.One, exponent, out sum);
    }

    /// <summary>The nearest double; infinite if it is too large for one.</summary>
    public double ToDouble() =>
        IsInfinite ? double.PositiveInfinity : Math.ScaleB((double)_mantissa, _exponent);

    /// <summary>The number with at most 17 digits behind the point, never with an exponent.</summary>
    public override string ToString()
    {
        Debug.Assert(!IsInfinite);
        var scaled = BigInteger.Abs(_mantissa) * BigInteger.Pow(10, FractionDigits);
        var rounded = _exponent >= 0 ? scaled << _exponent : DivideToEven(scaled, BigInteger.One << -_exponent);
        string digits = rounded.ToString("D18", null);
        string fraction = digits[^FractionDigits..].TrimEnd('0');
        string sign = _mantissa.Sign < 0 && !rounded.IsZero ? "-" : "";
        string whole = digits[..^FractionDigits];
        return fraction.Length == 0 ? sign + whole : $"{sign}{whole}.{fraction}";
    }

    /// <summary>The nearest number to numerator ÷ denominator × 2^exponent.</summary>
    /// <returns>False if it is too large.</returns>
    private static bool TryRound(BigInteger numerator, BigInteger denominator, int exponent, out ExtendedFloat result)
    {
        result = default;
        var magnitude = BigInteger.Abs(numerator);
        if (magnitude.IsZero)
            return true;

        // The quotient's bits are these or one more, and rounding may carry into another one: at most three turns.
        long bits = magnitude.GetBitLength() - denominator.GetBitLength();
        for (long shift = bits - MantissaBits; ; shift++)
        {
            shift = Math.Max(shift, ExponentMin - exponent);
            var mantissa = shift > 0
                ? DivideToEven(magnitude, denominator << (int)shift)
                : DivideToEven(magnitude << (int)-shift, denominator);
            if (mantissa.GetBitLength() > MantissaBits)
                continue;
            if (exponent + shift > ExponentMax)
                return false;
            result = new ExtendedFloat(numerator.Sign < 0 ? -mantissa : mantissa, (int)(exponent + shift));
            return true;
        }
    }

    private static BigInteger DivideToEven(BigInteger numerator, BigInteger denominator)
    {
        var quotient = BigInteger.DivRem(numerator, denominator, out var remainder);
        int half = (remainder << 1).CompareTo(denominator);
        return half > 0 || (half == 0 && !quotient.IsEven) ? quotient + 1 : quotient;
    }
}
