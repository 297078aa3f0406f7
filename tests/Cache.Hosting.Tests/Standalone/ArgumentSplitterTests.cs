using Cache.Hosting.Configuration;
using Cache.Server.Settings;

namespace Cache.Hosting.Tests.Standalone;

public sealed class ArgumentSplitterTests
{
    [Theory]
    [InlineData("port 6379", "port|6379")]
    [InlineData("  bind\t127.0.0.1   ::1 ", "bind|127.0.0.1|::1")]
    [InlineData("save \"\"", "save|")]
    [InlineData("requirepass \"two words\"", "requirepass|two words")]
    [InlineData("requirepass 'two words'", "requirepass|two words")]
    [InlineData("requirepass \"a\\\"b\\\\c\\x41\\n\"", "requirepass|a\"b\\cA\n")]
    [InlineData("requirepass 'it\\'s \\n'", "requirepass|it's \\n")]
    [InlineData("requirepass a#b", "requirepass|a#b")]
    [InlineData("requirepass \"\\xc3\\xa9t\\xC3\\xa9\"", "requirepass|\u00e9t\u00e9")]
    [InlineData("requirepass \"\u00e9\\xe2\\x82\\xac\\xf0\\x9f\\x94\\x91\"", "requirepass|\u00e9\u20ac\ud83d\udd11")]
    [InlineData("", "")]
    public void Split_ReadsWordsAndQuotes(string line, string words) =>
        Assert.Equal(words, string.Join('|', ArgumentSplitter.Split(line)!));

    [Theory]
    [InlineData("requirepass \"open")]
    [InlineData("requirepass 'open")]
    [InlineData("requirepass \"closed\"early")]
    [InlineData("requirepass \"ends in \\\"")]
    public void Split_QuoteLeftOpen_IsRefused(string line) => Assert.Null(ArgumentSplitter.Split(line));
}
