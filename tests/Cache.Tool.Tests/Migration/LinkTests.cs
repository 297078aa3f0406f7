using System.Text;
using Cache.Tool.Migration;

namespace Cache.Tool.Tests.Migration;

/// <summary>What comes over a link, in pieces of any length.</summary>
public sealed class LinkTests
{
    [Fact]
    public void Snapshot_EndedByAMark_EndsThere()
    {
        string mark = new('m', 39);
        byte[] file = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 9).Select(i => mark[i..] + i)));
        byte[] all =
            [.. Encoding.ASCII.GetBytes($"\r\n\n$EOF:{mark}!\r\n"), .. file, .. Encoding.ASCII.GetBytes(mark + "!")];
        foreach (int piece in (int[])[1, 2, 7, 39, 40, 41, 1000])
        {
            var reader = new LinkReader(new PieceStream([.. all, .. "*1\r\n"u8], piece));
            using var snapshot = new SnapshotStream(reader);
            Assert.Null(snapshot.Total);
            Assert.Equal(file, ReadAll(snapshot));
            Assert.Equal("*1", reader.ReadLine());
        }
    }

    [Fact]
    public void Snapshot_OfALength_EndsThere()
    {
        var reader = new LinkReader(new PieceStream([.. "$5\r\nabcde*1\r\n"u8], 3));
        using var snapshot = new SnapshotStream(reader);
        Assert.Equal(5, snapshot.Total);
        Assert.Equal("abcde"u8.ToArray(), ReadAll(snapshot));
        Assert.Equal("*1", reader.ReadLine());
    }

    [Theory]
    [InlineData("$EOF:short\r\n")]
    [InlineData("$-1\r\n")]
    [InlineData("+OK\r\n")]
    [InlineData("$99999999999999999999\r\n")]
    public void Snapshot_OfAnotherLine_IsRefused(string line) => Assert.Throws<InvalidDataException>(
        () => new SnapshotStream(new LinkReader(new MemoryStream(Encoding.ASCII.GetBytes(line)))));

    [Fact]
    public void Commands_InPieces_AreTheSame()
    {
        byte[] all = [.. "*3\r\n$3\r\nset\r\n$2\r\n\r\n\r\n$0\r\n\r\n"u8, .. "*1\r\n$4\r\nPING\r\n"u8];
        for (int piece = 1; piece <= all.Length; piece++)
        {
            var reader = new CommandReader(new LinkReader(new PieceStream(all, piece)));
            var first = reader.Read();
            Assert.Equal("SET", first.Name);
            Assert.Equal("\r\n"u8.ToArray(), first.Key.ToArray());
            Assert.Equal(all[..^14], first.Bytes.ToArray());
            var second = reader.Read();
            Assert.Equal(("PING", 0), (second.Name, second.Key.Length));
            Assert.Throws<EndOfStreamException>(() => reader.Read().Name);
        }
    }

    [Theory]
    [InlineData("GET a\r\n")]
    [InlineData("\n")]
    [InlineData("*0\r\n")]
    [InlineData("*-1\r\n")]
    [InlineData("*1\n$4\r\nPING\r\n")]
    [InlineData("*1048577\r\n")]
    [InlineData("*1\r\n:4\r\n")]
    [InlineData("*1\r\n$536870913\r\n")]
    [InlineData("*1\r\n$4\r\nPINGPONG\r\n")]
    [InlineData("*1\r\n$00000000000000000000000000000000004\r\n")]
    [InlineData("*\r\n")]
    public void Commands_Garbage_IsRefused(string text)
    {
        var reader = new CommandReader(new LinkReader(new MemoryStream(Encoding.ASCII.GetBytes(text))));
        Assert.Throws<InvalidDataException>(() => reader.Read().Name);
    }

    private static byte[] ReadAll(Stream stream)
    {
        using var all = new MemoryStream();
        stream.CopyTo(all);
        return all.ToArray();
    }

    private sealed class PieceStream(byte[] bytes, int piece) : MemoryStream(bytes)
    {
        public override int Read(Span<byte> buffer) => base.Read(buffer[..Math.Min(piece, buffer.Length)]);
    }
}
