using System.Text;
using Cache.Tool.Client;

namespace Cache.Tool.Tests.Client;

public sealed class ReplyReaderTests
{
    [Fact]
    public void Read_Replies_ComeInOrder()
    {
        var reader = Of(
            "+OK\r\n-ERR x\r\n:-7\r\n$5\r\na\r\nbc\r\n$-1\r\n*-1\r\n"
            + "*2\r\n$1\r\nk\r\n*1\r\n:1\r\n$0\r\n\r\n");
        Assert.Equal((ReplyKind.Text, "OK"), Next());
        Assert.Equal((ReplyKind.Error, "ERR x"), Next());
        Assert.Equal((ReplyKind.Number, "-7"), Next());
        Assert.Equal((ReplyKind.Text, "a\r\nbc"), Next());
        Assert.Equal((ReplyKind.Null, ""), Next());
        Assert.Equal((ReplyKind.Null, ""), Next());
        var list = reader.Read();
        Assert.Equal("1", list.Find("k")!.Items[0].Text);
        Assert.Null(list.Find("other"));
        Assert.Equal((ReplyKind.Text, ""), Next());
        Assert.Throws<EndOfStreamException>(() => reader.Read());

        (ReplyKind, string) Next()
        {
            var reply = reader.Read();
            return (reply.Kind, reply.Text);
        }
    }

    [Theory]
    [InlineData("HTTP/1.1 400\r\n")]
    [InlineData("\r\n")]
    [InlineData("$x\r\n")]
    [InlineData("$99999999999\r\n")]
    [InlineData("$67108865\r\n")]
    [InlineData("*99999999\r\n")]
    [InlineData("$1\r\nabc\r\n")]
    [InlineData("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n")]
    public void Read_WhatIsNoReply_IsRefused(string bytes) =>
        Assert.Throws<InvalidDataException>(() => Of(bytes).Read());

    [Fact]
    public void Read_EndlessLine_IsRefused() =>
        Assert.Throws<InvalidDataException>(() => Of("+" + new string('x', 1 << 20)).Read());

    [Fact]
    public void Read_RandomBytes_EndInAnError() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 1000; i++)
        {
            char[] text = [.. Enumerable.Range(0, 40).Select(_ => "+-:$*0123\r\nx"[random.Next(12)])];
            var reader = Of(new string(text));
            if (ReadAll(Of(new string(text))) is { } failure)
                Assert.IsType<InvalidDataException>(failure);
        }
    });

    /// <returns>The error that is not the end of the bytes; null: it was the end.</returns>
    private static Exception? ReadAll(ReplyReader reader)
    {
        try
        {
            while (true)
                reader.Read();
        }
        catch (EndOfStreamException)
        {
            return null;
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    private static ReplyReader Of(string bytes) => new(new MemoryStream(Encoding.Latin1.GetBytes(bytes)));
}
