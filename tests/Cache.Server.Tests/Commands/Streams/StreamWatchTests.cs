namespace Cache.Server.Tests.Commands.Streams;

public sealed class StreamWatchTests : CommandTestBase
{
    // As in redis-server 7.0.15: the entries count, and not what becomes of groups.
    [Theory]
    [InlineData("XACK s g 1-1", false)]
    [InlineData("XCLAIM s g b 0 1-1", false)]
    [InlineData("XAUTOCLAIM s g b 0 0", false)]
    [InlineData("XREADGROUP GROUP g a STREAMS s >", false)]
    [InlineData("XREADGROUP GROUP g a STREAMS s 0", false)]
    [InlineData("XGROUP CREATE s h 0", false)]
    [InlineData("XGROUP CREATE s h 0 MKSTREAM", false)]
    [InlineData("XGROUP SETID s g 0", false)]
    [InlineData("XGROUP CREATECONSUMER s g new", false)]
    [InlineData("XGROUP DELCONSUMER s g a", false)]
    [InlineData("XGROUP DESTROY s g", false)]
    [InlineData("XSETID s 9-9", false)]
    [InlineData("XTRIM s MAXLEN 9", false)]
    [InlineData("XDEL s 7-7", false)]
    [InlineData("XTRIM s MAXLEN 1", true)]
    [InlineData("XDEL s 1-1", true)]
    [InlineData("XADD s 8-8 f v", true)]
    [InlineData("XGROUP CREATE t g 0 MKSTREAM", true)]
    public void Write_OfAWatchedStream_EndsTheTransaction_WhereEntriesChange(string line, bool touches)
    {
        string[] before =
        [
            "XADD s 1-1 f v", "XADD s 2-1 f v", "XGROUP CREATE s g 0", "XREADGROUP GROUP g a COUNT 1 STREAMS s >",
            "WATCH s t",
        ];
        foreach (string one in before)
            Client.Run(one);

        Assert.DoesNotContain("-ERR", Connect().Run(line), StringComparison.Ordinal);

        Client.Run("MULTI");
        Client.Run("PING");
        Assert.Equal(touches ? "*-1\r\n" : "*1\r\n+PONG\r\n", Client.Run("EXEC"));
    }
}
