namespace Cache.Server.Tests.Commands.Lists;

/// <summary>What bounds lists, and what a client's counts cannot do.</summary>
public sealed class ListLimitTests : CommandTestBase
{
    [Fact]
    public void Push_BeyondTheLongestList_SaysSoAndChangesNothing()
    {
        Client.Run("RPUSH l a");

        Assert.StartsWith("-OOM ", Client.Run($"RPUSH l b {new string('v', 5_000)}"), StringComparison.Ordinal);
        Assert.StartsWith("-OOM ", Client.Run($"LSET l 0 {new string('v', 5_000)}"), StringComparison.Ordinal);
        Assert.StartsWith(
            "-OOM ", Client.Run($"LINSERT l BEFORE a {new string('v', 5_000)}"), StringComparison.Ordinal);
        Assert.Equal("*1\r\n$1\r\na\r\n", Client.Run("LRANGE l 0 -1"));
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
