using System.Text;
using Cache.Server.Commands.Sorting;

namespace Cache.Server.Tests.Commands.Sorting;

/// <summary>What glibc's strtod makes of a text, and that Redis takes a whole text only.</summary>
public sealed class SortWeightTests
{
    [Theory]
    [InlineData("", 0)]
    [InlineData("\0x", 0)]
    [InlineData("12\0x", 12)]
    [InlineData(" \t\n\v\f\r12", 12)]
    [InlineData("+3.", 3)]
    [InlineData("-.5e1", -5)]
    [InlineData("0x1.8p3", 12)]
    [InlineData("0X.8", 0.5)]
    [InlineData("-0x0p-9999", 0)]
    [InlineData("inF", double.PositiveInfinity)]
    [InlineData("-infinity", double.NegativeInfinity)]
    [InlineData("0e-999", 0)]
    [InlineData("0.0e999", 0)]
    [InlineData("1.7976931348623157e308", double.MaxValue)]
    [InlineData("2.2250738585072014e-308", 2.2250738585072014e-308)]
    public void TryParse_OfANumber_IsIt(string text, double expected)
    {
        Assert.True(SortWeight.TryParse(Encoding.Latin1.GetBytes(text), out double weight));
        Assert.Equal(expected, weight);
    }

    [Theory]
    [InlineData(" ")]
    [InlineData("12 ")]
    [InlineData("x")]
    [InlineData("+")]
    [InlineData("--1")]
    [InlineData("+-1")]
    [InlineData(".")]
    [InlineData("1e")]
    [InlineData("1_0")]
    [InlineData("1,5")]
    [InlineData("0x")]
    [InlineData("nan")]
    [InlineData("-nan(1)")]
    [InlineData("infinit")]
    [InlineData("Infinity1")]
    [InlineData("1e400")]
    [InlineData("-1e400")]
    [InlineData("1e-400")]
    [InlineData("1e-310")]
    [InlineData("0x1p2000")]
    [InlineData("0x1p-2000")]
    public void TryParse_OfNoNumber_IsRefused(string text) =>
        Assert.False(SortWeight.TryParse(Encoding.Latin1.GetBytes(text), out _));
}
