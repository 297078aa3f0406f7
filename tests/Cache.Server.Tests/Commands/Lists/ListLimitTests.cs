namespace Cache.Server.Tests.Commands.Lists;

/// <summary>What bounds lists, and what a client's counts cannot do.</summary>
public sealed class ListLimitTests : CommandTestBase
{
    [Fact]
    public void Commands_OnAListBeyondARecord_TakeIt()
    {
        string element = new('v', 5_000), other = new('w', 5_000);
        Client.Run("RPUSH l a");

        Assert.Equal(":3\r\n", Client.Run($"RPUSH l b {element}"));
        Assert.Equal("+OK\r\n", Client.Run($"LSET l 0 {other}"));
        Assert.Equal(":4\r\n", Client.Run($"LINSERT l BEFORE {element} c"));
        Assert.Equal($"*3\r\n$1\r\nb\r\n$1\r\nc\r\n$5000\r\n{element}\r\n", Client.Run("LRANGE l 1 -1"));
        Assert.Equal($"$5000\r\n{other}\r\n", Client.Run("LMOVE l m LEFT RIGHT"));
        Assert.Equal($"$5000\r\n{other}\r\n", Client.Run("LINDEX m 0"));
        Assert.Equal(":2\r\n", Client.Run($"LPOS l {element}"));
        Assert.Equal("$9\r\nquicklist\r\n", Client.Run("OBJECT ENCODING l"));
    }

    [Fact]
    public void Commands_OnALargeList_AnswerAsOnASmallOne()
    {
        string all = string.Join(' ', Enumerable.Range(0, 3_000).Select(static i => $"{i % 1_000}"));
        Assert.Equal(":3000\r\n", Client.Run($"RPUSH l {all}"));

        Assert.StartsWith("*3000\r\n$1\r\n0\r\n", Client.Run("LRANGE l 0 -1"), StringComparison.Ordinal);
        Assert.Equal("*3\r\n:7\r\n:1007\r\n:2007\r\n", Client.Run("LPOS l 7 COUNT 0"));
        Assert.Equal("*1\r\n:2007\r\n", Client.Run("LPOS l 7 RANK -1 COUNT 1 MAXLEN 1000"));
        Assert.Equal(":2\r\n", Client.Run("LREM l -2 7"));
        Assert.Equal(":2999\r\n", Client.Run("LINSERT l AFTER 999 x"));
        Assert.Equal("$1\r\nx\r\n", Client.Run("LINDEX l 1000"));
        Assert.Equal(":2999\r\n", Client.Run("SORT l ALPHA STORE sorted"));
        Assert.Equal("$1\r\nx\r\n", Client.Run("LINDEX sorted -1"));
        Assert.StartsWith("*2\r\n$1\r\nl\r\n*300\r\n$1\r\n0\r\n", Client.Run("LMPOP 2 none l LEFT COUNT 300"),
            StringComparison.Ordinal);
        Assert.Equal("+OK\r\n", Client.Run("LTRIM l 100 -101"));
        Assert.Equal(":2499\r\n", Client.Run("LLEN l"));
        Assert.StartsWith("*2499\r\n", Client.Run("LPOP l 5000"), StringComparison.Ordinal);
        Assert.Equal(":0\r\n", Client.Run("EXISTS l"));
    }

    [Theory]
    [InlineData("LPOP l 9223372036854775807")]
    [InlineData("LMPOP 1 l LEFT COUNT 9223372036854775807")]
    [InlineData("LPOS l a COUNT 9223372036854775807")]
    [InlineData("LRANGE l -9223372036854775808 9223372036854775807")]
    [InlineData("SORT l ALPHA LIMIT 0 9223372036854775807")]
    public void Counts_ThatAreHuge_AllocateNothing(string line)
    {
        Client.Run("RPUSH l a");
        Client.Run(line);
        Client.Run("RPUSH l a");
        long before = GC.GetAllocatedBytesForCurrentThread();

        Client.Run(line);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    // The second key has elements only between looks at the two: so the first is looked at again with it.
    [Fact]
    public void LMPop_OfSomeEmptyKeys_TakesFromTheFirstThatHasElements()
    {
        Client.Run("RPUSH c 1 2 3");

        Assert.Equal("*2\r\n$1\r\nc\r\n*2\r\n$1\r\n3\r\n$1\r\n2\r\n", Client.Run("LMPOP 3 a b c RIGHT COUNT 2"));
        Client.Run("RPUSH b x");
        Assert.Equal("*2\r\n$1\r\nb\r\n*1\r\n$1\r\nx\r\n", Client.Run("LMPOP 3 a b c RIGHT COUNT 2"));
    }
}
