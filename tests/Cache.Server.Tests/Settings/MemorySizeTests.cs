using Cache.Server.Settings;

namespace Cache.Server.Tests.Settings;

public sealed class MemorySizeTests
{
    [Theory]
    [InlineData("", 0)]
    [InlineData("0", 0)]
    [InlineData("1024", 1024)]
    [InlineData("7b", 7)]
    [InlineData("1k", 1_000)]
    [InlineData("1kb", 1_024)]
    [InlineData("3M", 3_000_000)]
    [InlineData("512mb", 536_870_912)]
    [InlineData("2g", 2_000_000_000)]
    [InlineData("1GB", 1_073_741_824)]
    public void TryParse_TakesTheUnitsOfRedis(string text, long bytes)
    {
        Assert.True(MemorySize.TryParse(text, out long parsed));
        Assert.Equal(bytes, parsed);
    }

    [Theory]
    [InlineData("mb")]
    [InlineData("-1")]
    [InlineData("1.5gb")]
    [InlineData("1 gb")]
    [InlineData("1tb")]
    [InlineData("9999999999gb")]
    [InlineData("99999999999999999999")]
    public void TryParse_AnythingElse_IsRefused(string text) => Assert.False(MemorySize.TryParse(text, out _));

    [Theory]
    [InlineData("25%", 250)]
    [InlineData("1%", 10)]
    [InlineData("100%", 1_000)]
    [InlineData("1kb", 1_024)]
    public void TryParse_TakesPartsOfAWhole(string text, long bytes)
    {
        Assert.True(MemorySize.TryParse(text, 1_000, out long parsed));
        Assert.Equal(bytes, parsed);
    }

    [Fact]
    public void TryParse_PartOfTheLargestWhole_DoesNotOverflow()
    {
        Assert.True(MemorySize.TryParse("50%", long.MaxValue, out long parsed));
        Assert.Equal(long.MaxValue / 2, parsed);
    }

    [Theory]
    [InlineData("0%")]
    [InlineData("101%")]
    [InlineData("%")]
    [InlineData("-5%")]
    [InlineData("2.5%")]
    [InlineData("25 %")]
    [InlineData("25%%")]
    public void TryParse_OtherParts_AreRefused(string text) =>
        Assert.False(MemorySize.TryParse(text, 1_000, out _));

    [Theory]
    [InlineData(100, "100")]
    [InlineData(1024, "1kb")]
    [InlineData(536_870_912, "512mb")]
    [InlineData(1_610_612_736, "1.5gb")]
    public void Format_TakesTheLargestUnit(long bytes, string text) => Assert.Equal(text, MemorySize.Format(bytes));
}
