using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>The judges of the fuzzer, on what is known to be right and wrong.</summary>
public sealed class FuzzReferenceTests
{
    [Theory]
    [InlineData("*1\r\n$4\r\nPING\r\n", 1, 1, false)]
    [InlineData("*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPIN", 1, 1, false)]
    [InlineData("PING\r\n\r\n*0\r\n*-1\r\nPING\n", 2, 2, false)]
    [InlineData("PING\r\n*1\r\n:1\r\nPING\r\n", 1, 2, true)]
    [InlineData("PING \"a\r\nPING\r\n", 0, 1, true)]
    [InlineData("QUIT\r\nPING\r\n", 1, 1, true)]
    [InlineData("POST / HTTP/1.1\r\nPING\r\n", 1, 0, true)]
    [InlineData("CLIENT REPLY OFF\r\nPING\r\nCLIENT REPLY ON\r\nPING\r\n", 4, 2, false)]
    [InlineData("CLIENT REPLY SKIP\r\nPING\r\nPING\r\n", 3, 1, false)]
    [InlineData("CLIENT REPLY SKIP\r\n\r\nPING\r\n", 2, 1, false)]
    [InlineData("CLIENT REPLY SKIP\r\n*0\r\nPING\r\n", 2, 1, false)]
    [InlineData("CLIENT REPLY OFF\r\n*1\r\n:1\r\n", 1, 0, true)]
    [InlineData("CLIENT REPLY OFF\r\nRESET\r\n", 2, 1, false)]
    [InlineData("ECHO a\vb\r\n", 1, 1, false)]
    public void Replies_AreThoseThatRedisGives(string input, int requests, int replies, bool ends) =>
        Assert.Equal(
            new ExpectedReplies(requests, replies, ends, IsExact: true),
            ExpectedReplies.Of(Encoding.Latin1.GetBytes(input)));

    [Theory]
    [InlineData("+OK\r\n:-1\r\n$-1\r\n$2\r\n\r\n\r\n*2\r\n*0\r\n*-1\r\n-ERR x\r\n", 6)]
    [InlineData("_\r\n#t\r\n,1.5\r\n%1\r\n+a\r\n:1\r\n~1\r\n:1\r\n=5\r\ntxt:a\r\n>1\r\n+push\r\n(12\r\n", 7)]
    public void Replies_ThatAreResp_AreCounted(string bytes, int replies)
    {
        var scanner = ReplyScanner.Scan(Encoding.Latin1.GetBytes(bytes), takesVersion3: true);
        Assert.Equal((replies, false), (scanner.Replies, scanner.IsCut));
    }

    [Theory]
    [InlineData("OK\r\n")]
    [InlineData("+OK\n")]
    [InlineData("$1\r\nab\r\n")]
    [InlineData("$x\r\n")]
    [InlineData(":1.5\r\n")]
    [InlineData("-ERR internal error\r\n")]
    [InlineData("*1\r\n\r\n")]
    [InlineData("_\r\n")]
    public void Replies_ThatAreNot_AreFoundOut(string bytes) =>
        Assert.Throws<FuzzFailureException>(
            () => ReplyScanner.Scan(Encoding.Latin1.GetBytes(bytes), takesVersion3: false));

    [Fact]
    public void Session_WrittenAndRead_IsTheSame()
    {
        var session = new SessionGenerator(new Random(1)).Next(500);
        Assert.Equal(session.Format(), FuzzSession.Parse(session.Format()).Format());
    }

    [Fact]
    public async Task Shrink_FailureOfTwoRequests_LeavesThese()
    {
        var session = new SessionGenerator(new Random(2)).Next(500);
        var steps = session.Steps.ToList();
        steps.Insert(steps.Count / 3, Send("*1\r\n$5\r\nFIRST\r\n*1\r\n$4\r\nPING\r\n"));
        steps.Add(Send("*1\r\n$4\r\nPING\r\n*1\r\n$6\r\nSECOND\r\n"));

        var shortest = await SessionShrinker.ShrinkAsync(new FuzzSession(steps), static one => Task.FromResult(
            one.Format().Contains("FIRST", StringComparison.Ordinal)
            && one.Format().Contains("SECOND", StringComparison.Ordinal)));

        var left = shortest.Steps.Select(static step => Encoding.Latin1.GetString(step.Bytes)[8..^2]);
        Assert.Equal(["FIRST", "SECOND"], left);
    }

    private static FuzzStep Send(string text) => new(FuzzStepKind.Send, 0, Encoding.Latin1.GetBytes(text));
}
