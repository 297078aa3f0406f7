namespace Cache.Server.Tests.Commands.Streams;

public sealed class StreamTurnTests : CommandTestBase
{
    private const int Entries = 5_000;

    // Each would keep other clients waiting; the others are short.
    [Theory]
    [InlineData("XREADGROUP GROUP g c STREAMS small big > >", true)]
    [InlineData("XREADGROUP GROUP g c STREAMS big >", true)]
    [InlineData("XREADGROUP GROUP g c COUNT 10 STREAMS small big > >", false)]
    [InlineData("XREADGROUP GROUP g c STREAMS small >", false)]
    [InlineData("XINFO GROUPS big", false)]
    [InlineData("XINFO GROUPS big", true, 600)]
    [InlineData("XINFO CONSUMERS big g", false)]
    [InlineData("XINFO CONSUMERS big g", true, 600)]
    [InlineData("XADD big MINID ~ 1 9999-1 f v", false)]
    [InlineData("XADD big MINID = 9 9999-1 f v", false)]
    [InlineData("XADD big MINID = 4900 9999-1 f v", true)]
    [InlineData("XTRIM big MAXLEN 4990", false)]
    [InlineData("XTRIM big MAXLEN 10", true)]
    public void Command_OfManyEntriesOrGroups_GivesWay(string line, bool givesWay, int groups = 1)
    {
        Fill("small", 1);
        Fill("big", Entries);
        for (int i = 0; i < groups; i++)
        {
            Client.Run($"XGROUP CREATE big g{i} $");
            Client.Run($"XGROUP CREATECONSUMER big g c{i}");
        }

        var client = Connect();
        client.Context.SharesThread = true;

        client.Run(line);

        Assert.Equal(givesWay, client.Context.GaveWay);
    }

    // The second one has what the first one leaves; the third one nothing.
    [Fact]
    public void XReadGroup_OfOneKeySeveralTimes_DeliversEachEntryOnce()
    {
        Fill("s", 3);
        Assert.Equal(
            "*2\r\n*2\r\n$1\r\ns\r\n" + Told(1, 2) + "*2\r\n$1\r\ns\r\n" + Told(3),
            Client.Run("XREADGROUP GROUP g c COUNT 2 STREAMS s s s > > >"));
        Assert.Equal("*-1\r\n", Client.Run("XREADGROUP GROUP g c COUNT 2 STREAMS s s > >"));
    }

    // A comparison of each with each would take minutes.
    [Fact]
    public void XReadGroup_OfOneKeyVeryOften_LooksAtEachNameOnce()
    {
        const int Names = 200_000;
        Fill("s", 3);
        string reply = Client.Call(
        [
            "XREADGROUP", "GROUP", "g", "c", "COUNT", "1", "STREAMS", .. Enumerable.Repeat("s", Names),
            .. Enumerable.Repeat(">", Names),
        ]);
        Assert.Equal(
            "*3\r\n" + string.Concat(Enumerable.Range(1, 3).Select(i => "*2\r\n$1\r\ns\r\n" + Told(i))), reply);
    }

    private static string Told(params int[] entries) =>
        $"*{entries.Length}\r\n"
        + string.Concat(entries.Select(i => $"*2\r\n$3\r\n{i}-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n"));

    private void Fill(string key, int count)
    {
        for (int i = 1; i <= count; i++)
            Client.Run($"XADD {key} {i}-1 f v");
        Client.Run($"XGROUP CREATE {key} g 0");
    }
}
