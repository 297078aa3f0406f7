using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests;

public sealed class ReplyBuilderTests
{
    [Theory]
    [InlineData("*2\r\n:1\r\n*1\r\n+a\r\n", "[1,[a]]")]
    [InlineData("%1\r\n+k\r\n%0\r\n", "[k,[]]")]
    [InlineData("*0\r\n", "[]")]
    [InlineData("|1\r\n+ttl\r\n:3\r\n$1\r\nv\r\n", "v")]
    [InlineData("*2\r\n|1\r\n+a\r\n+b\r\n:1\r\n:2\r\n", "[1,2]")]
    [InlineData("|0\r\n:1\r\n", "1")]
    [InlineData("*2\r\n_\r\n-ERR x\r\n", "[,ERR x]")]
    public void TryComplete_Tokens_AreAReply(string input, string expected) =>
        Assert.Equal(expected, Show(Build(new ReplyBuilder(1000), input)));

    [Fact]
    public void TryComplete_ManyRepliesInTurn_AreEachBounded()
    {
        var builder = new ReplyBuilder(bytesMax: 200);
        for (int i = 0; i < 100; i++)
            Assert.Equal("[1,2]", Show(Build(builder, "*2\r\n:1\r\n:2\r\n")));
    }

    [Fact]
    public void TryComplete_TooDeep_IsRefused() =>
        Assert.Throws<InvalidDataException>(
            () => Build(new ReplyBuilder(1 << 20), string.Concat(Enumerable.Repeat("*1\r\n", 17)) + ":1\r\n"));

    [Fact]
    public void TryComplete_TooLong_IsRefused() =>
        Assert.Throws<InvalidDataException>(
            () => Build(
                new ReplyBuilder(1000), "*100\r\n" + string.Concat(Enumerable.Repeat("+0123456789\r\n", 100))));

    [Fact]
    public void TryComplete_AttributesWithoutEnd_AreRefused() =>
        Assert.Throws<InvalidDataException>(
            () => Build(new ReplyBuilder(1000), string.Concat(Enumerable.Repeat("|0\r\n", 100))));

    private static RespReply Build(ReplyBuilder builder, string input)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(input);
        RespReply reply = default;
        bool isComplete = false;
        for (int at = 0; at < bytes.Length;)
        {
            Assert.False(isComplete);
            var status = RespTokenReader.TryRead(bytes.AsSpan(at), 1000, out var token, out int length);
            Assert.Equal(RespTokenStatus.Complete, status);
            isComplete = builder.TryComplete(token, out reply);
            at += length;
        }

        Assert.True(isComplete);
        Assert.False(builder.IsOpen);
        return reply;
    }

    private static string Show(RespReply reply) =>
        reply.Type is RespType.Array or RespType.Map ? $"[{string.Join(',', reply.Items.Select(Show))}]" : reply.Text;
}
