using Cache.Core;
using Cache.Server.Commands.Sorting;

namespace Cache.Server.Tests.Commands.Sorting;

/// <summary>What of SORT depends on the user, or on bounds; the replies are recorded.</summary>
public sealed class SortCommandsTests : CommandTestBase
{
    private const string ByDenied = "-ERR BY option of SORT denied due to insufficient ACL permissions.\r\n";
    private const string GetDenied = "-ERR GET option of SORT denied due to insufficient ACL permissions.\r\n";

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
        "~l* ~GET +@all", "SORT l STORE GET STORE other",
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n")]
    [InlineData(
        "~l* ~BY +@all", "SORT l STORE BY STORE other",
        "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n")]
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

    // What others push while it sorts is there afterwards, in the list that it sorts.
    [Theory]
    [InlineData("SORT l ALPHA STORE l")]
    [InlineData("SORT l ALPHA BY w_* STORE l")]
    public void SortStore_OfAListThatIsPushedTo_LosesNothing(string line)
    {
        const int Pushes = 900;
        bool isOver = false;
        var pusher = new Thread(() =>
        {
            for (int i = 0; i < Pushes; i++)
                Server.Store.List("l"u8).Push(ListEnd.Right, "x"u8);
            Volatile.Write(ref isOver, true);
        });
        pusher.Start();
        while (!Volatile.Read(ref isOver))
            Client.Run(line);
        pusher.Join();

        Assert.Equal($":{Pushes}\r\n", Client.Run("LLEN l"));
    }

    [Theory]
    [InlineData("SORT l BY w* ALPHA LIMIT 0 1")]
    [InlineData("SORT l GET w* STORE d")]
    public void Sort_OfLongWeights_IsRefusedBeforeTheyAreCopied(string line)
    {
        Client.Run("RPUSH l 1 1 1 1 1 1 1 1");
        Server.Store.Set("w1"u8, new byte[5 << 20]);
        Client.Run(line);
        long before = GC.GetAllocatedBytesForCurrentThread();

        Assert.StartsWith("-OOM ", Client.Run(line), StringComparison.Ordinal);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 4L * SortTexts.BytesMax);
        Assert.Equal(":0\r\n", Client.Run("EXISTS d"));
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
    public void SortStore_OfMoreThanARecord_MakesALargeList()
    {
        Client.Run("RPUSH l 5 4 3 2 1");
        Client.Run("RPUSH d x");
        for (int i = 1; i <= 5; i++)
            Client.Run($"SET w{i} {i}{new string('v', 999 * i)}");

        Assert.Equal(":5\r\n", Client.Run("SORT l GET w* STORE d"));
        Assert.Equal($"*1\r\n$1000\r\n1{new string('v', 999)}\r\n", Client.Run("LRANGE d 0 0"));
        Assert.Equal($"$4996\r\n5{new string('v', 4_995)}\r\n", Client.Run("LINDEX d -1"));
    }
}
