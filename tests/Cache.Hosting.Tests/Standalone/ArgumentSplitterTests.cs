using StandaloneServer.Configuration;

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
