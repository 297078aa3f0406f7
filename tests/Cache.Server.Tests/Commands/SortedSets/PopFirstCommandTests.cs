namespace Cache.Server.Tests.Commands.SortedSets;

public sealed class PopFirstCommandTests : CommandTestBase
{
    // Up to 64 keys are looked at as of one moment, more of them one after the other.
    [Theory]
    [InlineData(1)]
    [InlineData(64)]
    [InlineData(65)]
    [InlineData(1000)]
    public void ZMPop_OfManyEmptyKeys_TakesFromTheFirstThatHasMembers(int keys)
    {
        string names = string.Join(' ', Enumerable.Range(0, keys - 1).Select(static i => $"absent:{i}").Append("z"));
        Client.Run("ZADD z 1 a 2 b 3 c");

        Assert.Equal(
            "*2\r\n$1\r\nz\r\n*2\r\n*2\r\n$1\r\nc\r\n$1\r\n3\r\n*2\r\n$1\r\nb\r\n$1\r\n2\r\n",
            Client.Run($"ZMPOP {keys} {names} MAX COUNT 2"));
        Client.Run("DEL z");
        Assert.Equal("*-1\r\n", Client.Run($"ZMPOP {keys} {names} MAX"));
        Client.Run("SET z v");
        Assert.StartsWith("-WRONGTYPE", Client.Run($"ZMPOP {keys} {names} MAX"), StringComparison.Ordinal);
    }
}
