using System.Net;
using System.Net.Sockets;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Tests.ServerLoad;

public sealed class LoadOptionsTests
{
    [Fact]
    public void TryParseTarget_EveryForm_IsItsEndPoint()
    {
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, 6379), Parse("127.0.0.1:6379"));
        Assert.Equal(new IPEndPoint(IPAddress.IPv6Loopback, 6379), Parse("[::1]:6379"));
        Assert.Equal(new DnsEndPoint("cache.example", 1), Parse("cache.example:1"));
        Assert.Equal("/tmp/s", Assert.IsType<UnixDomainSocketEndPoint>(Parse("unix:/tmp/s")).ToString());
    }

    [Theory]
    [InlineData("")]
    [InlineData("6379")]
    [InlineData(":6379")]
    [InlineData("host:0")]
    [InlineData("host:65536")]
    [InlineData("unix:")]
    public void TryParseTarget_Malformed_IsRefused(string text) =>
        Assert.False(LoadOptions.TryParseTarget(text, out _));

    [Theory]
    [InlineData("0:0")]
    [InlineData("4")]
    [InlineData("4:1:1")]
    [InlineData("-1:2")]
    public void TryParseRatio_Malformed_IsRefused(string text) =>
        Assert.False(LoadOptions.TryParseRatio(text, out _, out _));

    [Fact]
    public void FindProblems_OutOfRange_NamesEachOption()
    {
        var options = new LoadOptions { Target = new IPEndPoint(IPAddress.Loopback, 1) };
        Assert.Empty(options.FindProblems());
        AssertProblem("--keys is 10001", options with { KeyBytes = 4, Keys = 10_001 });
        AssertProblem("--value is 7", options with { ValueBytes = 7 });
        AssertProblem("--rate is NaN", options with { Rate = double.NaN });
        AssertProblem("--pipeline is 3", options with { Pipeline = 3, ValueBytes = 1 << 28 });
    }

    private static void AssertProblem(string start, LoadOptions options) =>
        Assert.StartsWith(start, Assert.Single(options.FindProblems()));

    private static EndPoint Parse(string text)
    {
        Assert.True(LoadOptions.TryParseTarget(text, out var target));
        return target;
    }
}
