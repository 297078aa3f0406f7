namespace Cache.Client.Tests;

public sealed class RespClientOptionsTests
{
    [Fact]
    public void Parse_ServersAndOptions_AreRead()
    {
        var options = RespClientOptions.Parse(
            "redis-a:6379, redis-b,[::1]:7000,SSL=true,user=me,password=a=b,defaultDatabase=3,replyTimeout=500");
        Assert.Equal(["redis-a:6379", "redis-b", "[::1]:7000"], options.EndPoints);
        Assert.True(options.UseTls);
        Assert.Equal(("me", "a=b", 3, 500), (
            options.User, options.Password, options.Database, (int)options.ReplyTimeout.TotalMilliseconds));
    }

    [Fact]
    public void Parse_Mistakes_AreAllNamed()
    {
        var failure = Assert.Throws<FormatException>(
            () => RespClientOptions.Parse("a:99999,sll=true,ssl=maybe,defaultDatabase=-1"));
        Assert.Contains("There is no option sll; the nearest is ssl.", failure.Message, StringComparison.Ordinal);
        Assert.Contains("ssl is \"maybe\"", failure.Message, StringComparison.Ordinal);
        Assert.Contains("defaultDatabase is \"-1\"", failure.Message, StringComparison.Ordinal);
        Assert.Contains("EndPoints has \"a:99999\"", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void FindProblems_NothingGiven_AsksForAServer() =>
        Assert.StartsWith(
            "EndPoints is empty", Assert.Single(new RespClientOptions().FindProblems()), StringComparison.Ordinal);

    [Theory]
    [InlineData("host", "host:6379")]
    [InlineData("host:1", "host:1")]
    [InlineData("::1", "[::1]:6379")]
    [InlineData("[::1]:7000", "[::1]:7000")]
    [InlineData("/run/redis.sock", "/run/redis.sock")]
    public void Address_Text_IsRead(string text, string shown)
    {
        Assert.True(ServerAddress.TryParse(text, out var address));
        Assert.Equal(shown, address.ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData(":6379")]
    [InlineData("host:")]
    [InlineData("host:0")]
    [InlineData("host:65536")]
    [InlineData("a host")]
    public void Address_OtherText_IsRefused(string text) => Assert.False(ServerAddress.TryParse(text, out _));
}
