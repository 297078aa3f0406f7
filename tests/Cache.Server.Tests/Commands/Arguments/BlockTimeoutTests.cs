using System.IO.Pipelines;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Arguments;

/// <summary>The texts of timeouts; errors and meanings are those of redis-server 7.0.15.</summary>
public sealed class BlockTimeoutTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("-0", 0)]
    [InlineData("-0.0001", 0)]
    [InlineData("1", 1000)]
    [InlineData("0.0001", 1)]
    [InlineData("0.25", 250)]
    [InlineData("0.2501", 251)]
    [InlineData("1e-400", 1)]
    [InlineData("1e-30", 1)]
    [InlineData("0x10", 16000)]
    [InlineData("1e15", 0)]
    [InlineData("9223372036854775", 0)]
    public void Number_IsRoundedUpToAMillisecond_AndZeroHasNoEnd(string text, int milliseconds)
    {
        Assert.True(TryParse(text, out var timeout, out string error));
        Assert.Equal(milliseconds == 0 ? -1 : milliseconds, timeout.TotalMilliseconds);
        Assert.Empty(error);
    }

    [Theory]
    [InlineData("-1", "negative")]
    [InlineData("-0.002", "negative")]
    [InlineData("inf", "negative")]
    [InlineData("-inf", "negative")]
    [InlineData("1e400", "negative")]
    [InlineData("9223372036854775807", "negative")]
    [InlineData("abc", "not a float or out of range")]
    [InlineData("", "not a float or out of range")]
    [InlineData(" 1", "not a float or out of range")]
    [InlineData("nan", "not a float or out of range")]
    [InlineData("1e5000", "not a float or out of range")]
    [InlineData("1e-5000", "not a float or out of range")]
    public void Text_ThatIsNoTime_IsAnError(string text, string reason)
    {
        Assert.False(TryParse(text, out _, out string error));
        Assert.Equal($"-ERR timeout is {reason}\r\n", error);
    }

    private static bool TryParse(string text, out TimeSpan timeout, out string error)
    {
        using var stream = new MemoryStream();
        var pipe = PipeWriter.Create(stream);
        var reply = new RespReplyWriter(pipe);
        bool isParsed = BlockTimeout.TryParse(Encoding.Latin1.GetBytes(text), reply, out timeout);
        reply.End();
        pipe.Complete();
        error = Encoding.Latin1.GetString(stream.ToArray());
        return isParsed;
    }
}
