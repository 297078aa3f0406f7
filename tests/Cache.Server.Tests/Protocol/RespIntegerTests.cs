using System.Globalization;
using System.Text;
using Cache.Protocol;

namespace Cache.Server.Tests.Protocol;

public class RespIntegerTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("9", 9)]
    [InlineData("-1", -1)]
    [InlineData("10", 10)]
    [InlineData("9223372036854775807", long.MaxValue)]
    [InlineData("-9223372036854775808", long.MinValue)]
    public void TryParse_CanonicalInteger_ReadsIt(string text, long expected)
    {
        Assert.True(RespInteger.TryParse(Encoding.ASCII.GetBytes(text), out long value));
        Assert.Equal(expected, value);
        Assert.Equal(text, value.ToString(CultureInfo.InvariantCulture));
    }

    [Theory]
    [InlineData("")]
    [InlineData("-")]
    [InlineData("+1")]
    [InlineData("01")]
    [InlineData("-0")]
    [InlineData("-01")]
    [InlineData(" 1")]
    [InlineData("1 ")]
    [InlineData("1a")]
    [InlineData("a")]
    [InlineData("1.0")]
    [InlineData("9223372036854775808")]
    [InlineData("-9223372036854775809")]
    [InlineData("18446744073709551616")]
    [InlineData("99999999999999999999")]
    [InlineData("100000000000000000000")]
    public void TryParse_AnythingElse_IsRefused(string text) =>
        Assert.False(RespInteger.TryParse(Encoding.ASCII.GetBytes(text), out _));
}
