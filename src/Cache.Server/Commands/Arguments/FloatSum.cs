using System.Text;
using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>The sum of a value and an increment, both numbers.</summary>
/// <remarks>
/// A sum of many digits takes milliseconds. So it is not computed again if the present value is unchanged: then only
/// another key of the bucket was written meanwhile.
/// </remarks>
/// <param name="increment">The increment.</param>
/// <param name="text">Room for two numbers.</param>
/// <param name="workMax">The most steps of about a nanosecond; if it would take more, there is no sum.</param>
internal ref struct FloatSum(ReadOnlySpan<byte> increment, Span<byte> text, long workMax) : IValueUpdate
{
    private readonly ReadOnlySpan<byte> _increment = increment;

    // The sum, and the value that it was computed from.
    private readonly Span<byte> _sum = text[..ExtendedFloat.TextLengthMax];
    private readonly Span<byte> _present = text[ExtendedFloat.TextLengthMax..];
    private int _sumLength;
    private int _presentLength;

    public readonly int LengthMax => ExtendedFloat.TextLengthMax;

    public readonly ReadOnlySpan<byte> Value => _sum[.._sumLength];

    /// <summary>The estimated steps of the last sum.</summary>
    public long Work { get; private set; }

    /// <summary>Whether there is no sum because it would take too many steps.</summary>
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
