using System.Text;
using Cache.Server.Commands.Arguments;

namespace Cache.Server.Tests.Commands.Arguments;

/// <summary>A sum that an update asks for several times.</summary>
public sealed class FloatSumTests
{
    private static readonly byte[] _digits = Encoding.ASCII.GetBytes(new string('9', 4000));

    // To calculate with thousands of digits takes memory for them.
    [Fact]
    public void TryMake_OfTheSameValueAgain_CalculatesNothing()
    {
        Span<byte> text = stackalloc byte[2 * ExtendedFloat.TextLengthMax];
        var sum = new FloatSum("1"u8, text, long.MaxValue);
        Assert.True(sum.TryMake(_digits, exists: true));
        byte[] first = sum.Value.ToArray();
        long before = GC.GetAllocatedBytesForCurrentThread();

        bool isMade = sum.TryMake(_digits, exists: true);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, _digits.Length);
        Assert.True(isMade);
        Assert.Equal(first, sum.Value);
    }

    [Fact]
    public void TryMake_OfAnotherValue_MakesItsSum()
    {
        Span<byte> text = stackalloc byte[2 * ExtendedFloat.TextLengthMax];
        var sum = new FloatSum("1"u8, text, long.MaxValue);
        Assert.True(sum.TryMake(_digits, exists: true));

        Assert.True(sum.TryMake("2.5"u8, exists: true));
        Assert.Equal("3.5"u8, sum.Value);

        Assert.True(sum.TryMake(default, exists: false));
        Assert.Equal("1"u8, sum.Value);
    }

    [Fact]
    public void TryMake_OfMoreWorkThanItMayDo_MakesNone()
    {
        Span<byte> text = stackalloc byte[2 * ExtendedFloat.TextLengthMax];
        var sum = new FloatSum("1"u8, text, 1000);

        Assert.False(sum.TryMake(_digits, exists: true));

        Assert.True(sum.IsTooMuch);
        Assert.True(sum.TryMake("2"u8, exists: true));
        Assert.False(sum.IsTooMuch);
    }
}
