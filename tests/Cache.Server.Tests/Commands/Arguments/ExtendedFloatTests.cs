using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Tests.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Arguments;

/// <summary>What Recorded/floats.tsv cannot show: the limits of lengths, and many sums.</summary>
public sealed class ExtendedFloatTests
{
    [Theory]
    [InlineData(ExtendedFloat.TextLengthMax, true)]
    [InlineData(ExtendedFloat.TextLengthMax + 1, false)]
    public void TryParse_LongText_IsANumberUpToTheLimit(int length, bool isNumber)
    {
        byte[] text = Encoding.ASCII.GetBytes("0." + new string('1', length - 2));

        Assert.Equal(isNumber, ExtendedFloat.TryParse(text, out _));
    }

    [Fact]
    public void TryParse_LongestDigits_RoundsByTheLastOne()
    {
        // Half of the last bit of 2^63 above it, and a last digit that decides: 9223372036854775808.5 is a tie.
        string zeros = new('0', 5000);

        Assert.Equal("9223372036854775808", Parse("9223372036854775808.5").ToString());
        Assert.Equal("9223372036854775809", Parse($"9223372036854775808.5{zeros}1").ToString());
        Assert.Equal("9223372036854775810", Parse("9223372036854775809.5").ToString());
    }

    [Fact]
    public void TryAdd_MultiplesOfABinaryFraction_IsExact() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++)
        {
            // Multiples of 2^−10 whose sum fits 64 bits: decimals hold them exactly too, in 26 digits.
            decimal one = random.NextInt64(-(1L << 62), 1L << 62) / 1024m;
            decimal other = random.NextInt64(-(1L << 62), 1L << 62) / 1024m;

            Assert.True(ExtendedFloat.TryAdd(Parse(Text(one)), Parse(Text(other)), out var sum));
            Assert.Equal(Text(one + other), sum.ToString());
        }
    });

    private static string Text(decimal number) => number.ToString("0.##########", CultureInfo.InvariantCulture);

    private static ExtendedFloat Parse(string text)
    {
        Assert.True(ExtendedFloat.TryParse(Encoding.ASCII.GetBytes(text), out var value));
        return value;
    }
}
