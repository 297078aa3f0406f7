using System.Text;
using Cache.Server.Protocol;
using Cache.Testing;

namespace Cache.Server.Tests.Protocol;

public class RespRequestReaderTests
{
    // Escaped payload, then what is read: words joined by |, or - and the error, which ends the reading.
    public static TheoryData<string, string[]> Payloads => new()
    {
        { "*1\r\n$4\r\nPING\r\n", ["PING"] },
        { "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n", ["SET|k|"] },
        { "*2\r\n$3\r\nGET\r\n$3\r\na\r\n\r\n*2\r\n$3\r\nGET\r\n$1\r\n*\r\n", ["GET|a\r\n", "GET|*"] },
        {
            "*12\r\n" + string.Concat(Enumerable.Range(10, 12).Select(i => $"$2\r\n{i}\r\n")),
            ["10|11|12|13|14|15|16|17|18|19|20|21"]
        },
        { "*0\r\n*-1\r\n\r\n\n*1\r\n$4\r\nPING\r\n", ["PING"] },
        { "PING\r\nPING\n", ["PING", "PING"] },
        { "  SET  k\tv  \r\n", ["SET|k|v"] },
        { "ECHO \"a b\\n\\x41\\\"\\q\" 'c \\'d\\n'\r\n", ["ECHO|a b\nA\"q|c 'd\\n"] },
        { "ECHO pre\"quoted\"\r\n", ["ECHO|prequoted"] },
        { "ECHO \"\"\r\n", ["ECHO|"] },
        { "ECHO a\vb\f \v c\r\n", ["ECHO|a\vb\f|c"] },
        { "ECHO \"a\"b\r\n", ["-ERR Protocol error: unbalanced quotes in request"] },
        { "ECHO \"a\r\n", ["-ERR Protocol error: unbalanced quotes in request"] },
        { "ECHO \"a\\\r\n", ["-ERR Protocol error: unbalanced quotes in request"] },
        { "PI\0NG\r\n", [] },
        { "*1\0\r\n", [] },
        { "*1\n$4\nPING\n", [] },
        { "*1\r\n$4\nPING\r\n", ["-ERR Protocol error: invalid bulk length"] },
        { "*01\r\n", ["-ERR Protocol error: invalid multibulk length"] },
        { "*\r\n", ["-ERR Protocol error: invalid multibulk length"] },
        { "*2147483648\r\n", ["-ERR Protocol error: invalid multibulk length"] },
        { "*2147483647\r\n", [] },
        { "PING\r\n*1\r\n:1\r\n", ["PING", "-ERR Protocol error: expected '$', got ':'"] },
        { "*1\r\n\r\n", ["-ERR Protocol error: expected '$', got '\r'"] },
        { "*1\r\n$-1\r\n", ["-ERR Protocol error: invalid bulk length"] },
        { "*1\r\n$536870913\r\n", ["-ERR Protocol error: invalid bulk length"] },
        { "*1\r\n$536870912\r\n", [] },
        { "*1\r\n$4\r\nPINGxxPING\r\n", ["PING", "PING"] },
    };

    [Theory]
    [MemberData(nameof(Payloads))]
    public void TryRead_HoweverThePayloadArrives_ReadsTheSame(string payload, string[] expected)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(payload);
        foreach (var pieces in Splits.All(bytes.Length))
            Assert.Equal(expected, RequestFeeder.Read(bytes, pieces));
    }

    [Fact]
    public void TryRead_LineLongerThanTheBound_IsRefused()
    {
        byte[] line = new byte[RespRequestReader.LineBytesMax + 1];
        Array.Fill(line, (byte)'A');
        Assert.Equal(["-ERR Protocol error: too big inline request"], RequestFeeder.Read(line, [line.Length]));
        Assert.Empty(RequestFeeder.Read(line, [line.Length - 1]));
    }

    [Theory]
    [InlineData("*", "too big mbulk count string")]
    [InlineData("*1\r\n$", "too big bulk count string")]
    public void TryRead_HeaderLongerThanTheBound_IsRefused(string start, string error)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(start + new string('1', RespRequestReader.LineBytesMax + 1));
        Assert.Equal(["-ERR Protocol error: " + error], RequestFeeder.Read(bytes, [bytes.Length]));
    }

    [Theory]
    [InlineData("*11\r\n", "unauthenticated multibulk length")]
    [InlineData("*1\r\n$16385\r\n", "unauthenticated bulk length")]
    public void TryRead_StrangersRequestBeyondItsBound_IsRefused(string payload, string error)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(payload);
        var stranger = new RespRequestReader { IsAuthenticated = false };
        Assert.Equal(["-ERR Protocol error: " + error], RequestFeeder.Read(stranger, bytes, [bytes.Length]));
        Assert.Empty(RequestFeeder.Read(bytes, [bytes.Length]));
    }

    [Fact]
    public void TryRead_StrangersRequestAtItsBounds_IsTaken()
    {
        string longest = new('x', 16_384);
        string request = $"*10\r\n$16384\r\n{longest}\r\n{string.Concat(Enumerable.Repeat("$1\r\na\r\n", 9))}";
        byte[] bytes = Encoding.Latin1.GetBytes(request);
        var stranger = new RespRequestReader { IsAuthenticated = false };

        string read = Assert.Single(RequestFeeder.Read(stranger, bytes, [bytes.Length]));

        Assert.Equal(longest + string.Concat(Enumerable.Repeat("|a", 9)), read);
    }

    [Fact]
    public void TryRead_BulkStillArriving_NamesTheLengthWorthATry()
    {
        var reader = new RespRequestReader();
        Assert.Equal(RespReadStatus.Incomplete, reader.TryRead("*1\r\n$1000\r\nabc"u8));
        Assert.Equal("*1\r\n$1000\r\n".Length + 1000 + 2, reader.BytesNeeded);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1000)]
    public void PassOver_WhereverItBegins_EndsBehindTheRequest(int pieceBytes)
    {
        const string Request =
            "*5\r\n$4\r\nMSET\r\n$1\r\nk\r\n$13\r\n$3\r\nGET\r\n$1\r\n\r\n$0\r\n\r\n$2\r\nxy\r\n";
        byte[] bytes = Encoding.Latin1.GetBytes(Request + "PING\r\n");
        for (int begin = "*5\r\n".Length; begin < Request.Length; begin++)
        {
            var reader = new RespRequestReader();
            Assert.Equal(RespReadStatus.Incomplete, reader.TryRead(bytes.AsSpan(0, begin)));
            long start = reader.PassOver(begin);
            var status = RespReadStatus.Incomplete;
            for (int end = begin; status == RespReadStatus.Incomplete; end = Math.Min(end + pieceBytes, bytes.Length))
            {
                Assert.True(start < bytes.Length);
                if (end < start)
                    continue;
                status = reader.TryRead(bytes.AsSpan((int)start, end - (int)start));
                start += status == RespReadStatus.Incomplete ? reader.PassOver(end - (int)start) : reader.Consumed;
            }

            Assert.Equal((RespReadStatus.Refused, Request.Length), (status, (int)start));
            Assert.Equal(RespReadStatus.Complete, reader.TryRead(bytes.AsSpan((int)start)));
        }
    }

    [Fact]
    public void TryRead_ManyArgumentsInPieces_NeverReadsAnArgumentTwice()
    {
        byte[] bytes = Encoding.Latin1.GetBytes("*2000\r\n" + string.Concat(Enumerable.Repeat("$1\r\nx\r\n", 2000)));
        var feeder = new RequestFeeder(new RespRequestReader());
        for (int at = 0; at < bytes.Length; at += 100)
            feeder.Feed(bytes.AsSpan(at, Math.Min(100, bytes.Length - at)));
        Assert.InRange(feeder.Tries, 1, bytes.Length / 100 + 2);
    }

    [Fact]
    public void TryRead_DeclaredCountOfManyArguments_TakesNoMemoryForThem()
    {
        new RespRequestReader().TryRead("*1\r\n"u8);
        var readers = new Queue<RespRequestReader>(
            Enumerable.Range(0, 10).Select(static _ => new RespRequestReader()));
        Assert.Equal(
            0, AllocatedBytes.LeastOf(() => readers.Dequeue().TryRead("*2147483647\r\n$536870912\r\n"u8)));
    }

    [Fact]
    public void TryRead_MoreArgumentsThanTheBound_IsRefused()
    {
        byte[] bytes = Encoding.Latin1.GetBytes(
            $"*{RespRequestReader.ArgumentCountMax + 1}\r\n"
            + string.Concat(Enumerable.Repeat("$0\r\n\r\n", RespRequestReader.ArgumentCountMax + 1)));
        Assert.Equal(
            ["-ERR Protocol error: too many arguments, the limit is 1048576"],
            RequestFeeder.Read(bytes, [bytes.Length]));
    }
}
