using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Durability.Tests.Rdb;

/// <summary>Values that are read as they are.</summary>
public sealed class RdbRawTests
{
    [Theory]
    [InlineData("strings.rdb")]
    [InlineData("types.rdb")]
    [InlineData("lfu.rdb")]
    [InlineData("streams.rdb")]
    public void TryRead_FilesOfRedis_HaveTheValuesAsTheyAre(string name)
    {
        byte[] file = RdbFile.Recorded(name);
        var reader = new RdbReader(new MemoryStream(file), keptMax: 1 << 20);
        int count = 0;
        while (reader.TryRead(out var entry))
        {
            count++;
            Assert.Equal(RdbRawState.Kept, entry.State);
            byte[] whole = [.. KeyOf(entry), .. entry.Value.Span];
            Assert.True(file.AsSpan().IndexOf(whole) >= 0);
            byte[] footer = new byte[RdbPayload.FooterLength];
            RdbPayload.WriteFooter(entry.Type, entry.Value.Span, reader.Version, footer);
            byte[] payload = [(byte)entry.Type, .. entry.Value.Span, .. footer];
            Assert.True(RdbPayload.TryOpen(payload, out var value));
            Assert.Equal(entry.Value.ToArray(), value[1..].ToArray());
        }

        Assert.True(reader.IsChecksummed);
        Assert.True(count > 0);
    }

    // Longer than the buffer, so that what is read again crosses its end.
    [Theory]
    [InlineData(1)]
    [InlineData(100_000)]
    [InlineData(1_000_000)]
    public void TryRead_LongSequence_ComesInPartsOfWholePairs(int keptMax)
    {
        byte[] file = LongHash(5_000, out var expected);
        var reader = new RdbReader(new MemoryStream(file), keptMax);
        Assert.True(reader.TryRead(out var entry));
        if (keptMax == 1_000_000)
            Assert.Equal((RdbRawState.Kept, "long"), (entry.State, Encoding.ASCII.GetString(entry.Key.Span)));
        else
        {
            Assert.Equal((RdbRawState.InParts, 0), (entry.State, entry.Value.Length));
            var found = new List<string>();
            int parts = 0;
            reader.ReadParts(10_000, part =>
            {
                parts++;
                Assert.Equal(0, part.Count % 2);
                for (int i = 0; i < part.Count; i++)
                    found.Add(Encoding.ASCII.GetString(part[i]));
            });
            Assert.Equal(expected, found);
            Assert.True(parts > 10);
        }

        Assert.True(reader.TryRead(out entry));
        Assert.Equal("behind", Encoding.ASCII.GetString(entry.Key.Span));
        Assert.False(reader.TryRead(out _));
        Assert.True(reader.IsChecksummed);
    }

    [Fact]
    public void TryRead_ListOfManyNodes_ComesInParts()
    {
        const string Plain = "\u0001\u0001x";
        const string Packed = "\u0002\u000c\u000c\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00ff";
        string nodes = string.Concat(Enumerable.Repeat(Plain + Packed, 20));
        byte[] file = new RdbBytes().Add(18).Text("k").Add(Encoding.Latin1.GetBytes("\u0028" + nodes)).End();
        var reader = new RdbReader(new MemoryStream(file), keptMax: 10);
        Assert.True(reader.TryRead(out var entry));
        Assert.Equal(RdbRawState.InParts, entry.State);
        var found = new List<string>();
        int parts = 0;
        reader.ReadParts(4, part =>
        {
            parts++;
            for (int i = 0; i < part.Count; i++)
                found.Add(Encoding.ASCII.GetString(part[i]));
        });
        Assert.Equal(string.Concat(Enumerable.Repeat("xa7", 20)), string.Concat(found));
        Assert.True(parts > 5);
        Assert.False(reader.TryRead(out _));
    }

    [Fact]
    public void TryRead_PartsThatNobodyReads_AreSkipped()
    {
        var reader = new RdbReader(new MemoryStream(LongHash(5_000, out _)), keptMax: 1);
        Assert.True(reader.TryRead(out _));
        Assert.True(reader.TryRead(out var entry));
        Assert.Equal("behind", Encoding.ASCII.GetString(entry.Key.Span));
        Assert.False(reader.TryRead(out _));
        Assert.True(reader.IsChecksummed);
    }

    [Fact]
    public void TryRead_CutAnywhere_SaysSo()
    {
        byte[] file = LongHash(30, out _);
        for (int length = 9; length < file.Length; length++)
        {
            var reader = new RdbReader(new MemoryStream(file[..length]), keptMax: 1);
            Assert.Throws<RdbFormatException>(() =>
            {
                while (reader.TryRead(out var entry))
                {
                    if (entry.State == RdbRawState.InParts)
                        reader.ReadParts(100, static _ => { });
                }
            });
        }
    }

    private static byte[] LongHash(int fields, out List<string> expected)
    {
        using var stream = new MemoryStream();
        var writer = new RdbWriter(stream, DateTimeOffset.UnixEpoch);
        writer.BeginHash(new RdbEntry(0, "long"u8.ToArray(), default, null), fields);
        expected = [];
        for (int i = 0; i < fields; i++)
        {
            string value = new('v', i % 80);
            expected.AddRange([$"field {i}", value]);
            writer.WriteField(Encoding.ASCII.GetBytes($"field {i}"), Encoding.ASCII.GetBytes(value));
        }

        writer.Write(new RdbEntry(0, "behind"u8.ToArray(), "x"u8.ToArray(), null));
        writer.WriteEnd();
        return stream.ToArray();
    }

    // As a short string; longer keys are not in these files, but numbers are.
    private static byte[] KeyOf(in RdbEntry entry) => entry.Key.Length is 0 or >= 64
        || long.TryParse(Encoding.Latin1.GetString(entry.Key.Span), out _)
        ? []
        : [(byte)entry.Key.Length, .. entry.Key.Span];
}
