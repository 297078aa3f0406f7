namespace Cache.Server.Tests.Commands.Sorting;

/// <summary>What of SORT depends on the user, or on bounds; the replies are recorded.</summary>
public sealed class SortCommandsTests : CommandTestBase
{
    private const string ByDenied = "-ERR BY option of SORT denied due to insufficient ACL permissions\r\n";
    private const string GetDenied = "-ERR GET option of SORT denied due to insufficient ACL permissions\r\n";

    [Theory]
    [InlineData("~l* +@all", "SORT l BY w*", ByDenied)]
    [InlineData("~l* +@all", "SORT l GET w*", GetDenied)]
    [InlineData("~l* +@all", "SORT l GET #", GetDenied)]
    [InlineData("~l* +@all", "SORT_RO l BY w*", ByDenied)]
    [InlineData("~l* +@all", "SORT l BY nosort", "*1\r\n$1\r\n1\r\n")]
    [InlineData("~l* %W~* +@all", "SORT l GET w*", GetDenied)]
    [InlineData("~l* %R~* +@all", "SORT l GET w*", "*1\r\n$1\r\nv\r\n")]
    [InlineData("~* +@all", "SORT l GET w*", "*1\r\n$1\r\nv\r\n")]
    [InlineData("~l* +@all", "SORT l STORE l2", ":1\r\n")]
    [InlineData(
        "~l* +@all", "SORT l STORE other",
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n")]
    [InlineData(
        "~l* +@all", "SORT l BY nosort STORE l2 STORE other",
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n")]
    public void Sort_ByAUserOfSomeKeys_ReadsNoOthers(string rules, string line, string reply)
    {
        Client.Run("RPUSH l 1");
        Client.Run("SET w1 v");
        Client.Run($"ACL SETUSER u on nopass {rules}");
        Client.Run("AUTH u x");

        Assert.Equal(reply, Client.Run(line));
    }

    [Fact]
    public void Sort_OfALongReply_IsRefused()
    {
        Server.Settings.ClientOutputBufferLimit = 1 << 20;
        Client.Run("RPUSH l" + string.Concat(Enumerable.Repeat(" 1", 1_000)));
        Client.Run($"SET w1 {new string('v', 10_000)}");

        Assert.Equal("-ERR the reply is longer than client-output-buffer-limit\r\n", Client.Run("SORT l GET w*"));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    [Fact]
    public void SortStore_BeyondTheLongestList_SaysSoAndChangesNothing()
    {
        Client.Run("RPUSH l 1 2 3 4 5");
        Client.Run("RPUSH d x");
        for (int i = 1; i <= 5; i++)
            Client.Run($"SET w{i} {new string('v', 1_000)}");

        Assert.StartsWith("-OOM ", Client.Run("SORT l GET w* STORE d"), StringComparison.Ordinal);
        Assert.Equal("*1\r\n$1\r\nx\r\n", Client.Run("LRANGE d 0 -1"));
    }
}
