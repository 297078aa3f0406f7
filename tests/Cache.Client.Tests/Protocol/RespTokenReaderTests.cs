using System.Text;
using Cache.Protocol;

namespace Cache.Client.Tests.Protocol;

public sealed class RespTokenReaderTests
{
    private const int BulkBytesMax = 1 << 20;

    [Theory]
    [InlineData("+OK\r\n", RespType.SimpleString, "OK")]
    [InlineData("+\r\n", RespType.SimpleString, "")]
    [InlineData("-ERR no\r\n", RespType.Error, "ERR no")]
    [InlineData("$3\r\na\r\n\r\n", RespType.Bulk, "a\r\n")]
    [InlineData("$0\r\n\r\n", RespType.Bulk, "")]
    [InlineData("=7\r\ntxt:abc\r\n", RespType.Verbatim, "abc")]
    [InlineData("!5\r\nERR x\r\n", RespType.BulkError, "ERR x")]
    [InlineData(",1.5\r\n", RespType.Double, "1.5")]
    [InlineData("(123456789012345678901234567890\r\n", RespType.BigNumber, "123456789012345678901234567890")]
    public void TryRead_Text_IsRead(string input, object type, string text)
    {
        Assert.Equal((RespTokenStatus.Complete, (RespType)type, text, 0L, input.Length), Read(input));
        ExpectIncompleteParts(input);
    }

    [Theory]
    [InlineData(":-12\r\n", RespType.Integer, -12)]
    [InlineData("_\r\n", RespType.Null, 0)]
    [InlineData("$-1\r\n", RespType.Null, 0)]
    [InlineData("*-1\r\n", RespType.Null, 0)]
    [InlineData("#t\r\n", RespType.Boolean, 1)]
    [InlineData("#f\r\n", RespType.Boolean, 0)]
    [InlineData("*3\r\n", RespType.Array, 3)]
    [InlineData("%3\r\n", RespType.Map, 6)]
    [InlineData("|1\r\n", RespType.Attribute, 2)]
    [InlineData("~0\r\n", RespType.Set, 0)]
    [InlineData(">2\r\n", RespType.Push, 2)]
    public void TryRead_Number_IsRead(string input, object type, long number)
    {
        Assert.Equal((RespTokenStatus.Complete, (RespType)type, "", number, input.Length), Read(input));
        ExpectIncompleteParts(input);
    }

    [Theory]
    [InlineData("\r\n")]
    [InlineData("\n")]
    [InlineData("x\r\n")]
    [InlineData("+a\n")]
    [InlineData(":\r\n")]
    [InlineData(":+1\r\n")]
    [InlineData(":99999999999999999999\r\n")]
    [InlineData("$-2\r\n")]
    [InlineData("$1048577\r\n")]
    [InlineData("$9223372036854775807\r\n")]
    [InlineData("$3\r\nabcde")]
    [InlineData("$?\r\n")]
    [InlineData("=-1\r\n")]
    [InlineData("%-1\r\n")]
    [InlineData("*2147483648\r\n")]
    [InlineData("*-2\r\n")]
    [InlineData("_x\r\n")]
    [InlineData("#\r\n")]
    [InlineData("#x\r\n")]
    public void TryRead_NoReply_IsMalformed(string input) =>
        Assert.Equal(RespTokenStatus.Malformed, Read(input).Status);

    [Fact]
    public void TryRead_LineWithoutEnd_IsMalformedBeyondItsBound()
    {
        string line = "+" + new string('a', RespTokenReader.LineBytesMax);
        Assert.Equal(RespTokenStatus.Incomplete, Read(line[..^1]).Status);
        Assert.Equal(RespTokenStatus.Malformed, Read(line).Status);
    }

    [Fact]
    public void TryRead_IncompleteBulk_SaysHowLongTheInputMustBe() =>
        Assert.Equal((RespTokenStatus.Incomplete, 109), (Read("$100\r\nab").Status, Read("$100\r\nab").Length + 1));

    private static void ExpectIncompleteParts(string input)
    {
        for (int length = 0; length < input.Length; length++)
        {
            var part = Read(input[..length]);
            Assert.Equal(RespTokenStatus.Incomplete, part.Status);
            Assert.InRange(part.Length, length + 1, input.Length);
        }
    }

    private static (RespTokenStatus Status, RespType Type, string Text, long Number, int Length) Read(string input)
    {
        var status = RespTokenReader.TryRead(
            Encoding.Latin1.GetBytes(input), BulkBytesMax, out var token, out int length);
        return (status, token.Type, Encoding.Latin1.GetString(token.Text), token.Number, length);
    }
}
