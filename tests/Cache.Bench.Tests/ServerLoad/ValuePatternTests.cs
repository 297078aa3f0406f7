using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class ValuePatternTests
{
    public static TheoryData<int> Sizes => [8, 9, 15, 16, 17, 23, 24, 25, 256];

    [Theory, MemberData(nameof(Sizes))]
    public void Matches_OwnValue_IsTrue(int valueBytes)
    {
        var pattern = new ValuePattern(valueBytes);
        byte[] value = new byte[valueBytes];
        pattern.Write(value, 7, 3);
        Assert.True(pattern.Matches(value, 7));
        Assert.True(pattern.MatchesEnds(value, 7));
    }

    [Theory, MemberData(nameof(Sizes))]
    public void Matches_AnyByteChanged_IsFalse(int valueBytes)
    {
        var pattern = new ValuePattern(valueBytes);
        byte[] value = new byte[valueBytes];
        pattern.Write(value, 7, 3);
        for (int i = 0; i < valueBytes; i++)
        {
            value[i] ^= 1;
            Assert.False(pattern.Matches(value, 7), $"byte {i}");
            value[i] ^= 1;
        }
    }

    [Theory, MemberData(nameof(Sizes))]
    public void MatchesEnds_AnotherKeysValue_IsFalse(int valueBytes)
    {
        var pattern = new ValuePattern(valueBytes);
        byte[] value = new byte[valueBytes];
        pattern.Write(value, 7, 3);
        Assert.False(pattern.MatchesEnds(value, 8));
    }

    [Fact]
    public void MatchesEnds_HalfOfEachOfTwoVersions_IsFalse()
    {
        var pattern = new ValuePattern(256);
        byte[] torn = new byte[256];
        byte[] later = new byte[256];
        pattern.Write(torn, 7, 3);
        pattern.Write(later, 7, 4);
        later.AsSpan(128).CopyTo(torn.AsSpan(128));
        Assert.False(pattern.MatchesEnds(torn, 7));
    }
}
