using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Cache.Server.Protocol;
using Cache.Server.Transport;

namespace Cache.Server.Tests.Protocol;

public class RespReplyWriterTests
{
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 0));

    [Theory]
    [InlineData(2, "$-1\r\n*-1\r\n*4\r\n*1\r\n$3\r\nabc\r\n")]
    [InlineData(3, "_\r\n_\r\n%2\r\n~1\r\n=7\r\ntxt:abc\r\n")]
    public void Replies_OfEachProtocolVersion_AreFramedAsItWants(int version, string expected)
    {
        var writer = new RespReplyWriter(_pipe.Writer) { ProtocolVersion = version };
        writer.Null();
        writer.NullArray();
        writer.MapHeader(2);
        writer.SetHeader(1);
        writer.VerbatimText("abc"u8);
        Assert.Equal(expected, Written(writer));
    }

    [Fact]
    public void Replies_OfEachKind_GoOnInANewStretchOfThePipe()
    {
        const int Rounds = 5000;
        var writer = new RespReplyWriter(_pipe.Writer);
        var expected = new StringBuilder();
        for (int i = 0; i < Rounds; i++)
        {
            writer.Integer(i);
            writer.BulkInteger(i);
            writer.ArrayHeader(i);
            writer.SimpleString("OK"u8);
            writer.Literal("+PONG\r\n"u8);
            expected.Append($":{i}\r\n${i.ToString().Length}\r\n{i}\r\n*{i}\r\n+OK\r\n+PONG\r\n");
        }

        Assert.Equal(expected.ToString(), Written(writer));
    }

    [Fact]
    public void Replies_OfBothVersions_AreFramedAlike()
    {
        var writer = new RespReplyWriter(_pipe.Writer);
        writer.SimpleString("OK"u8);
        writer.Error("ERR no\r\nway"u8);
        writer.Integer(long.MinValue);
        writer.Bulk("a\r\nb"u8);
        writer.BulkInteger(-12);
        writer.ArrayHeader(0);
        writer.Literal("+PONG\r\n"u8);
        Assert.Equal(
            "+OK\r\n-ERR no  way\r\n:-9223372036854775808\r\n$4\r\na\r\nb\r\n$3\r\n-12\r\n*0\r\n+PONG\r\n",
            Written(writer));
    }

    // What was flushed, perhaps for another client, is no reason to let more pass.
    [Fact]
    public void Exceeds_AfterALongBulkStringThatIsFlushed_ExceptsNone()
    {
        var writer = new RespReplyWriter(_pipe.Writer);
        writer.Bulk(new byte[1000]);
        Assert.False(writer.Exceeds(100));
        writer.BeginFlush();

        for (int i = 0; i < 100; i++)
            writer.Integer(i);

        Assert.True(writer.Exceeds(100));
    }

    [Fact]
    public void Bulk_OfEveryLengthAroundTheStretches_IsWhole()
    {
        var writer = new RespReplyWriter(_pipe.Writer);
        var expected = new StringBuilder();
        for (int length = 0; length < 10_000; length += 97)
        {
            string value = new((char)('a' + length % 26), length);
            writer.Bulk(Encoding.ASCII.GetBytes(value));
            expected.Append('$').Append(length).Append("\r\n").Append(value).Append("\r\n");
        }

        Assert.Equal(expected.ToString(), Written(writer));
    }

    [Fact]
    public void BeginBulk_CalledTwiceBeforeItsEnd_KeepsTheSecond()
    {
        var writer = new RespReplyWriter(_pipe.Writer);
        "torn!"u8.CopyTo(writer.BeginBulk(5));
        "abc"u8.CopyTo(writer.BeginBulk(3));
        writer.EndBulk(3);
        Assert.Equal("$3\r\nabc\r\n", Written(writer));
    }

    [Fact]
    public void Commit_WithoutReplies_WritesNothing()
    {
        var writer = new RespReplyWriter(_pipe.Writer);
        writer.BeginFlush();
        writer.Integer(1);
        writer.BeginFlush();
        Assert.Equal(":1\r\n", Written(writer));
    }

    [Fact]
    public void Bulk_OfLentBytes_WithoutMemoryForTheHeader_GivesThemBack()
    {
        var bytes = new CountedBytes();
        Assert.Throws<OutOfMemoryException>(() => new RespReplyWriter(new FullPipeWriter()).Bulk(bytes));
        Assert.Equal(1, bytes.DisposedCount);
    }

    private string Written(RespReplyWriter writer)
    {
        writer.BeginFlush();
        _pipe.Writer.Complete();
        Assert.True(_pipe.Reader.TryRead(out var result));
        return Encoding.Latin1.GetString(result.Buffer.ToArray());
    }

    private sealed class CountedBytes : LentBytes
    {
        public int DisposedCount { get; private set; }

        public override ReadOnlySpan<byte> Span => "lent"u8;

        public override ReadOnlyMemory<byte> Memory => "lent"u8.ToArray();

        public override void Dispose() => DisposedCount++;
    }

    private sealed class FullPipeWriter : LendingPipeWriter
    {
        public override void Write(LentBytes bytes) => bytes.Dispose();

        public override void Advance(int bytes)
        {
        }

        public override Memory<byte> GetMemory(int sizeHint = 0) => throw new OutOfMemoryException();

        public override Span<byte> GetSpan(int sizeHint = 0) => throw new OutOfMemoryException();

        public override void CancelPendingFlush()
        {
        }

        public override void Complete(Exception? exception = null)
        {
        }

        public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => default;
    }
}
