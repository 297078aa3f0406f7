using System.Text;
using Cache.Core;

namespace Cache.Server.Commands.Strings;

/// <summary>The sum of a value that is a number, and of another number.</summary>
/// <remarks>
/// A sum of many digits takes milliseconds. So it is not made anew where the present value is that which it was made
/// of: then only a neighbour of the key was written meanwhile.
/// </remarks>
/// <param name="increment">The other number.</param>
/// <param name="text">Room for two numbers.</param>
/// <param name="workMax">The steps of about a nanosecond that it may take; else there is no sum.</param>
internal ref struct FloatSum(ReadOnlySpan<byte> increment, Span<byte> text, long workMax) : IValueUpdate
{
    private readonly ReadOnlySpan<byte> _increment = increment;

    // The sum, and what it was made of.
    private readonly Span<byte> _sum = text[..ExtendedFloat.TextLengthMax];
    private readonly Span<byte> _present = text[ExtendedFloat.TextLengthMax..];
    private int _sumLength;
    private int _presentLength;

    public readonly int LengthMax => ExtendedFloat.TextLengthMax;

    public readonly ReadOnlySpan<byte> Value => _sum[.._sumLength];

    /// <summary>The steps that the last one was found to take.</summary>
    public long Work { get; private set; }

    /// <summary>Whether there was no sum because it takes more steps than it may.</summary>
    public readonly bool IsTooMuch => Work > workMax;

    /// <summary>Whether value and increment are numbers.</summary>
    public bool IsNumber { get; private set; }

    public bool TryMake(ReadOnlySpan<byte> present, bool exists)
    {
        var summand = exists ? present : "0"u8;
        if (_sumLength > 0 && summand.SequenceEqual(_present[.._presentLength]))
            return true;
        _sumLength = 0;
        Work = ExtendedFloat.FindWork(summand);
        if (IsTooMuch)
            return false;
        IsNumber = ExtendedFloat.TryParse(summand, out var one);
        IsNumber &= ExtendedFloat.TryParse(_increment, out var other);
        if (!IsNumber || !ExtendedFloat.TryAdd(one, other, out var sum))
            return false;
        _sumLength = Encoding.ASCII.GetBytes(sum.ToString(), _sum);
        summand.CopyTo(_present);
        _presentLength = summand.Length;
        return true;
    }
}
