namespace Cache.Server.Tests.Commands.Hashes;

public sealed class LargeHashTurnTests : CommandTestBase
{
    // Each would keep other clients waiting; the last ones are short.
    [Theory]
    [InlineData("HRANDFIELD h 19000", true)]
    [InlineData("HRANDFIELD h 100000 WITHVALUES", true)]
    [InlineData("HRANDFIELD h -100000", true)]
    [InlineData("HSCAN h 0 MATCH nope* COUNT 100000", true)]
    [InlineData("HRANDFIELD h 10", false)]
    [InlineData("HRANDFIELD h", false)]
    [InlineData("HSCAN h 0 COUNT 10", false)]
    public void Read_OfManyFieldsOfALargeHash_GivesWay(string line, bool givesWay)
    {
        for (int i = 0; i < 20_000; i += 100)
            Client.Run("HSET h " + string.Join(' ', Enumerable.Range(i, 100).Select(static n => $"f{n} value{n}")));
        var client = Connect();
        client.Context.SharesThread = true;

        client.Run(line);

        Assert.Equal(givesWay, client.Context.GaveWay);
    }
}
