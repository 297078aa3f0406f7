using System.Text;
using Cache.Server.Commands.Arguments;

namespace Cache.Server.Tests.Commands.Arguments;

/// <summary>What Recorded/keys.tsv cannot show: letters' case, and the bounds.</summary>
public sealed class GlobPatternTests
{
    [Theory]
    [InlineData("MAXMEMORY*", "maxmemory-policy", true)]
    [InlineData("max?emory", "MAXmEMORY", true)]
    [InlineData("[A-C]ind", "bind", true)]
    [InlineData("[a-c]ind", "BIND", true)]
    [InlineData("[B]ind", "bind", true)]
    [InlineData("[^B]ind", "bind", false)]
    [InlineData("\\Bind", "bind", true)]
    [InlineData("[\\B]ind", "bind", false)]
    [InlineData("port", "ports", false)]
    public void IsMatch_IgnoringCase_ComparesFoldedLetters(string pattern, string text, bool isMatch) =>
        Assert.Equal(isMatch, new GlobPattern(Bytes(pattern), ignoreCase: true).IsMatch(Bytes(text)));

    [Theory]
    [InlineData(1000, true)]
    [InlineData(1001, false)]
    public void IsMatch_ManyStars_MatchesUpToThatManyAsRedis(int stars, bool isMatch)
    {
        string pattern = string.Concat(Enumerable.Repeat("*a", stars)) + "b";
        string text = new string('a', stars) + "b";

        Assert.Equal(isMatch, new GlobPattern(Bytes(pattern)).IsMatch(Bytes(text)));
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(50_000, false)]
    public void IsMatch_PatternMadeToBeSlow_GivesUp(int length, bool isMatch)
    {
        string pattern = "*" + new string('a', length / 2) + "b";
        string text = new string('a', length) + "b";

        Assert.Equal(isMatch, new GlobPattern(Bytes(pattern)).IsMatch(Bytes(text)));
    }

    [Theory]
    [InlineData("", "", true)]
    [InlineData("*", "", false)]
    [InlineData("", "a", false)]
    public void IsMatch_Empty_IsMatchedByTheEmptyPatternAlone(string pattern, string text, bool isMatch) =>
        Assert.Equal(isMatch, new GlobPattern(Bytes(pattern)).IsMatch(Bytes(text)));

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
