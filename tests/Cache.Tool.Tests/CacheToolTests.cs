namespace Cache.Tool.Tests;

public sealed class CacheToolTests
{
    [Theory]
    [InlineData("A verb is needed: server, top, doctor, keys, bench, config, package, cluster, analyze, verify, "
        + "inspect, convert")]
    [InlineData("'verfy' is no verb: server, top, doctor, keys, bench, config, package, cluster, analyze, "
        + "verify, inspect, convert", "verfy", "x")]
    [InlineData("verify needs DIR: cache verify DIR", "verify")]
    [InlineData("convert needs TO: cache convert FROM TO", "convert", "a")]
    [InlineData("'b' is one word too many: cache verify DIR", "verify", "a", "b")]
    [InlineData("--kye is not an option of inspect: cache inspect FILE [--key KEY]", "inspect", "--kye", "a", "b")]
    [InlineData("--key needs a value", "inspect", "a", "--key")]
    [InlineData("--blocks has no value", "inspect", "a", "--blocks=1")]
    [InlineData("--key is given twice", "inspect", "--key", "a", "--key=b", "f")]
    [InlineData("--limit -1: a number from 0", "inspect", "a", "--limit", "-1")]
    [InlineData("--key \\q: a backslash begins", "inspect", "a", "--key", "\\q")]
    [InlineData("--key a\\: a backslash begins", "inspect", "a", "--key", "a\\")]
    [InlineData("--key \\x1: a backslash begins", "inspect", "a", "--key", "\\x1")]
    [InlineData("/nowhere/at/all does not exist", "verify", "/nowhere/at/all")]
    [InlineData("/nowhere/at/all does not exist", "inspect", "/nowhere/at/all")]
    [InlineData("/nowhere/at/all does not exist", "convert", "/nowhere/at/all", "x")]
    [InlineData("--odd does not exist", "verify", "--", "--odd")]
    [InlineData("DIR is empty: cache verify DIR", "verify", "")]
    [InlineData("FILE is empty: cache inspect FILE", "inspect", "")]
    [InlineData("TO is empty: cache convert FROM TO", "convert", "a", "")]
    public void Run_WrongWords_AreToldInALine(string text, params string[] words) =>
        ToolRun.Of(words).AssertFails(2, text);

    [Fact]
    public void Run_Help_NamesEachVerbAndItsOptions()
    {
        var help = ToolRun.Of("--help");
        help.AssertTells("cache verify DIR");
        help.AssertTells("cache inspect FILE [--key KEY] [--limit N] [--blocks]");
        help.AssertTells("cache convert FROM TO [--maxmemory SIZE]");
        ToolRun.Of("inspect", "--help").AssertTells("--blocks    each block");
        ToolRun.Of("--version").AssertTells("cache 0.");
    }

    [Theory]
    [InlineData("plain é 漢", "plain é 漢")]
    [InlineData("\u001b[31mred", "\\u001b[31mred")]
    [InlineData("\u009b31m\u202eturned\u2066", "\\u009b31m\\u202eturned\\u2066")]
    [InlineData("bell\a \r", "bell\\u0007 \\u000d")]
    [InlineData("name\nwhole: a start", "name\\u000awhole: a start")]
    public void Line_WhatCommandsATerminal_IsPrintedByItsNumber(string text, string printed)
    {
        var writer = new StringWriter();
        new Report(writer).Line(text);
        Assert.Equal(printed + "\n", writer.ToString());
        new Report(writer).Line("half a pair \ud83d"); // An attribute cannot hold it.
        Assert.EndsWith("half a pair \\ud83d\n", writer.ToString());
    }

    [Fact]
    public void KeyText_OfAnyBytes_IsReadAsTheSameBytes() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 500; i++)
        {
            byte[] key = new byte[random.Next(100)];
            random.NextBytes(key);
            string text = KeyText.Of(key);
            Assert.DoesNotContain(text, static next => next is < ' ' or > '~');
            Assert.True(KeyText.TryParse(text[1..^1], out byte[]? parsed));
            Assert.Equal(key, parsed);
        }
    });

    [Fact]
    public void KeyText_TypedText_IsUtf8()
    {
        Assert.True(KeyText.TryParse("ä😀\\x00", out byte[]? key));
        Assert.Equal([0xC3, 0xA4, 0xF0, 0x9F, 0x98, 0x80, 0], key);
    }

    [Theory]
    [InlineData("64mb", 64L << 20)]
    [InlineData("1GB", 1L << 30)]
    [InlineData("10k", 10_000L)]
    [InlineData("7", 7L)]
    [InlineData("", null)]
    [InlineData("mb", null)]
    [InlineData("-1mb", null)]
    [InlineData("9999999999999gb", null)]
    public void ByteSize_IsAsInTheServersDirectives(string text, long? bytes) =>
        Assert.Equal(bytes, ByteSize.TryParse(text, out long parsed) ? parsed : null);
}
