using System.Globalization;

namespace Cache.Server.Tests.Commands.Administration;

public sealed class SlowLogCommandsTests : MeasuringTestBase
{
    [Fact]
    public void Get_AfterCalls_HasThoseThatTookLongEnough()
    {
        Take(9, "SET a 1");
        Take(10, "SET b 1");
        Take(25, "INCR b");

        string reply = Client.Run("SLOWLOG GET");

        long now = Server.UnixSeconds;
        Assert.Equal(
            string.Create(CultureInfo.InvariantCulture, $"*2\r\n*6\r\n:1\r\n:{now}\r\n:25000\r\n")
            + "*2\r\n$4\r\nINCR\r\n$1\r\nb\r\n$15\r\n127.0.0.1:50000\r\n$0\r\n\r\n"
            + string.Create(CultureInfo.InvariantCulture, $"*6\r\n:0\r\n:{now}\r\n:10000\r\n")
            + "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1\r\n1\r\n$15\r\n127.0.0.1:50000\r\n$0\r\n\r\n",
            reply);
        Assert.Equal(":2\r\n", Client.Run("SLOWLOG LEN"));
        Assert.Equal("+OK\r\n", Client.Run("SLOWLOG RESET"));
        Assert.Equal(":0\r\n", Client.Run("SLOWLOG LEN"));
        Take(10, "SET b 1");
        Assert.StartsWith("*1\r\n*6\r\n:2\r\n", Client.Run("SLOWLOG GET"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("SLOWLOG GET", 10)]
    [InlineData("SLOWLOG GET 3", 3)]
    [InlineData("SLOWLOG GET 0", 0)]
    [InlineData("SLOWLOG GET -1", 20)]
    public void Get_Count_HasSoManyOfTheYoungest(string line, int count)
    {
        Client.Run("CONFIG SET slowlog-max-len 20");
        for (int i = 0; i < 30; i++)
            Take(20, $"SET k {i}");

        string reply = Client.Run(line);

        Assert.StartsWith($"*{count}\r\n", reply, StringComparison.Ordinal);
        if (count > 0)
            Assert.Contains("*6\r\n:29\r\n", reply, StringComparison.Ordinal);
    }

    [Fact]
    public void Threshold_ByConfigSet_TurnsTheLogOffOrTakesAllCalls()
    {
        Client.Run("CONFIG SET slowlog-log-slower-than -1");
        Take(5000, "SET k v");
        Assert.Equal(":0\r\n", Client.Run("SLOWLOG LEN"));

        Client.Run("CONFIG SET slowlog-log-slower-than 0");
        Client.Run("PING");
        Assert.Contains("$4\r\nPING\r\n", Client.Run("SLOWLOG GET -1"), StringComparison.Ordinal);
        Assert.Contains("\r\n$1\r\n0\r\n", Client.Run("CONFIG GET slowlog-log-slower-than"), StringComparison.Ordinal);
    }

    [Fact]
    public void Length_ByConfigSet_DropsTheOldestAtOnce()
    {
        for (int i = 0; i < 5; i++)
            Take(20, $"SET k {i}");

        Client.Run("CONFIG SET slowlog-max-len 2");

        Assert.Equal(":2\r\n", Client.Run("SLOWLOG LEN"));
        Assert.StartsWith("*2\r\n*6\r\n:4\r\n", Client.Run("SLOWLOG GET -1"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("AUTH secret", "AUTH (redacted)")]
    [InlineData("AUTH name secret", "AUTH (redacted) (redacted)")]
    [InlineData("HELLO 3 AUTH name secret SETNAME n", "HELLO 3 AUTH (redacted) (redacted) SETNAME n")]
    [InlineData("HELLO AUTH name secret", "HELLO AUTH (redacted) (redacted)")]
    [InlineData(
        "CONFIG SET maxclients 7 requirepass secret", "CONFIG SET maxclients 7 requirepass (redacted)")]
    [InlineData("CONFIG SET MASTERAUTH secret", "CONFIG SET MASTERAUTH (redacted)")]
    [InlineData("ACL SETUSER name >secret", "ACL SETUSER (redacted) (redacted)")]
    public void Get_CallWithASecret_HidesIt(string line, string shown)
    {
        Take(20, line);

        string reply = Client.Run("SLOWLOG GET");

        string[] words = shown.Split(' ');
        string arguments = string.Concat(words.Select(static word => $"${word.Length}\r\n{word}\r\n"));
        Assert.Contains($"*{words.Length}\r\n{arguments}", reply, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", reply, StringComparison.Ordinal);
    }

    [Fact]
    public void Get_LongRequest_HasItsBeginning()
    {
        Take(20, "MSET " + string.Join(' ', Enumerable.Range(0, 80)));
        Take(20, "SET k " + new string('x', 300));

        string reply = Client.Run("SLOWLOG GET");

        Assert.Contains("*32\r\n$4\r\nMSET\r\n", reply, StringComparison.Ordinal);
        Assert.Contains("$2\r\n29\r\n$23\r\n... (50 more arguments)\r\n", reply, StringComparison.Ordinal);
        Assert.Contains(new string('x', 128) + "... (172 more bytes)\r\n", reply, StringComparison.Ordinal);
    }

    // The clock is read once for a group, so its requests share its time.
    [Fact]
    public void Get_GroupOfCommonRequests_HasItsFirstAndTheirNumber()
    {
        TakeGroup(20, "GET");
        TakeGroup(30, "SET", "GET", "GET");

        string reply = Client.Run("SLOWLOG GET");

        Assert.Contains(":20000\r\n*2\r\n$3\r\nget\r\n$1\r\nk\r\n$15", reply, StringComparison.Ordinal);
        Assert.Contains(
            ":30000\r\n*3\r\n$3\r\nset\r\n$1\r\nk\r\n$36\r\n... (2 more requests of GET and SET)\r\n", reply,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Get_CommonSetAlone_HasItsValue()
    {
        TakeGroup(20, "SET");

        Assert.Contains(
            ":20000\r\n*3\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nv\r\n$15", Client.Run("SLOWLOG GET"),
            StringComparison.Ordinal);
    }

    // A command that gives way is called again: the time of its calls adds up.
    [Fact]
    public void Get_CommandInSteps_HasTheTimeOfAll()
    {
        for (int i = 0; i < 20_000; i++)
            Client.Run($"SET key:{i} v");
        Client.Run("SLOWLOG RESET");
        Clock.Step = TimeSpan.FromMicroseconds(100);
        var begin = Clock.Now;
        int steps = 0;
        Client.Context.SharesThread = true;
        do
        {
            Client.Run("KEYS nothing*");
            steps++;
            bool goesOn = Client.Context.GaveWay;
            Client.Context.Stay();
            if (!goesOn)
                break;
            Client.Context.SharesThread = false;
            Client.Context.IsElsewhere = true;
        }
        while (steps < 1000);
        Clock.Step = TimeSpan.Zero;

        string[] lines = Client.Run("SLOWLOG GET").Split("\r\n");

        Assert.InRange(steps, 3, 999);
        Assert.Equal("*1", lines[0]);
        double took = (Clock.Now - begin).TotalMicroseconds;
        Assert.InRange(double.Parse(lines[4][1..], CultureInfo.InvariantCulture), took * 0.8, took);
    }
}
