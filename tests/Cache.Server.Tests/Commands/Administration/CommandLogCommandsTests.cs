using System.Globalization;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class CommandLogCommandsTests : MeasuringTestBase
{
    [Fact]
    public void Get_LargeRequest_HasItsBeginningAndItsBytes()
    {
        Client.Run("CONFIG SET commandlog-request-larger-than 200");
        Client.Run("SET small " + new string('x', 100));
        Client.Run("SET large " + new string('x', 192)); // 200 bytes without frames.

        string entry =
            string.Create(CultureInfo.InvariantCulture, $"*1\r\n*6\r\n:0\r\n:{Server.UnixSeconds}\r\n:200\r\n")
            + "*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$147\r\n" + new string('x', 128) + "... (64 more bytes)";
        Assert.StartsWith(entry, Client.Run("COMMANDLOG GET -1 large-request"), StringComparison.Ordinal);
        Assert.Equal(":1\r\n", Client.Run("COMMANDLOG LEN LARGE-REQUEST"));
        Assert.Equal(":0\r\n", Client.Run("COMMANDLOG LEN large-reply"));
        Assert.Equal("*0\r\n", Client.Run("COMMANDLOG GET 0 large-request"));
    }

    [Fact]
    public void Get_LargeReply_HasTheRequestAndTheReplysBytes()
    {
        Client.Run("CONFIG SET commandlog-reply-larger-than 200");
        Client.Run("SET k " + new string('x', 200));
        Client.Run("STRLEN k");
        Client.Run("GETRANGE k 0 191");
        Client.Run("GETRANGE k 0 192"); // Of 201 bytes with its header and its end.

        Assert.Contains(
            ":201\r\n*4\r\n$8\r\nGETRANGE\r\n$1\r\nk\r\n", Client.Run("COMMANDLOG GET 10 large-reply"),
            StringComparison.Ordinal);
        Assert.Equal(":2\r\n", Client.Run("COMMANDLOG LEN large-reply")); // And this log itself.
        Assert.Equal(":0\r\n", Client.Run("COMMANDLOG LEN large-request"));
    }

    [Fact]
    public void Get_Slow_IsTheSlowLog()
    {
        Client.Run("CONFIG SET commandlog-execution-slower-than 15000");
        Take(20, "SET k v");

        Assert.Equal(Client.Run("SLOWLOG GET 10"), Client.Run("COMMANDLOG GET 10 slow"));
        Assert.Equal(":1\r\n", Client.Run("COMMANDLOG LEN slow"));
        Assert.Contains("$5\r\n15000\r\n", Client.Run("CONFIG GET slowlog-log-slower-than"), StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", Client.Run("COMMANDLOG RESET slow"));
        Assert.Equal(":0\r\n", Client.Run("SLOWLOG LEN"));
    }

    [Fact]
    public void Get_GroupOfCommonRequests_HasTheLargeOnesOfIt()
    {
        Client.Run("SET k " + new string('x', 300));
        Client.Run("CONFIG SET commandlog-reply-larger-than 200 commandlog-request-larger-than 25");
        TakeGroup(1, "GET", "GET");
        TakeGroup(1, "GET", "SET");

        Assert.Equal(2, Server.LargeReplies.Count); // The value is short once it was set.
        string replies = Client.Run("COMMANDLOG GET -1 large-reply");
        string requests = Client.Run("COMMANDLOG GET -1 large-request");

        Assert.Contains(":300\r\n*2\r\n$3\r\nget\r\n$1\r\nk\r\n", replies, StringComparison.Ordinal);
        Assert.Contains(":27\r\n*3\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nv\r\n", requests, StringComparison.Ordinal);
    }

    [Fact]
    public void Limit_MinusOne_TurnsALogOff()
    {
        Client.Run("CONFIG SET commandlog-reply-larger-than -1 commandlog-request-larger-than -1");
        Client.Run("SET k " + new string('x', 2_000_000));
        Client.Run("GETRANGE k 0 -1");

        Assert.Equal(":0\r\n", Client.Run("COMMANDLOG LEN large-reply"));
        Assert.Equal(":0\r\n", Client.Run("COMMANDLOG LEN large-request"));
    }

    [Fact]
    public void Limit_ByDefault_IsAMegabyte()
    {
        Client.Run("SET k " + new string('x', (1 << 20) - 5));
        Assert.Equal(":0\r\n", Client.Run("COMMANDLOG LEN large-request"));

        Client.Run("SET k " + new string('x', (1 << 20) - 4));
        Assert.Equal(":1\r\n", Client.Run("COMMANDLOG LEN large-request"));
    }

    [Fact]
    public void Length_ByConfigSet_DropsTheOldestAtOnce()
    {
        Client.Run("CONFIG SET commandlog-reply-larger-than 0 commandlog-request-larger-than 0");
        for (int i = 0; i < 5; i++)
            Client.Run("PING");
        Client.Run("CONFIG SET commandlog-reply-larger-than -1 commandlog-request-larger-than -1");

        Client.Run("CONFIG SET commandlog-large-request-max-len 2 commandlog-large-reply-max-len 3");

        Assert.Equal(":2\r\n", Client.Run("COMMANDLOG LEN large-request"));
        Assert.Equal(":3\r\n", Client.Run("COMMANDLOG LEN large-reply"));
    }

    [Fact]
    public void Get_RequestWithASecret_HidesIt()
    {
        Client.Run("CONFIG SET commandlog-request-larger-than 0 commandlog-reply-larger-than 0");
        Client.Run("CONFIG SET requirepass secret");
        Client.Run("AUTH secret");

        Assert.DoesNotContain("secret", Client.Run("COMMANDLOG GET -1 large-request"), StringComparison.Ordinal);
        Assert.DoesNotContain("secret", Client.Run("COMMANDLOG GET -1 large-reply"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("COMMANDLOG GET x slow", "-ERR count should be greater than or equal to -1\r\n")]
    [InlineData("COMMANDLOG GET -2 slow", "-ERR count should be greater than or equal to -1\r\n")]
    [InlineData(
        "COMMANDLOG GET 1 fast", "-ERR type should be one of the following: slow, large-request, large-reply\r\n")]
    [InlineData("COMMANDLOG GET 1", "-ERR wrong number of arguments for 'commandlog|get' command\r\n")]
    public void Get_WrongArguments_IsAnError(string line, string error) => Assert.Equal(error, Client.Run(line));
}
