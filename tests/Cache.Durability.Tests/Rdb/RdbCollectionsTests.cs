using System.Text;
using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

/// <summary>Collections in every encoding; those of <c>types.rdb</c> are Redis's own, the others by hand.</summary>
public sealed class RdbCollectionsTests
{
    private const long AllocatedBytesMax = 4 << 20;

    private static RdbElements Elements => new(bytesMax: 100_000, countMax: 10_000);

    [Theory]
    [InlineData("types.rdb")]
    [InlineData("lfu.rdb")]
    public void TryRead_CollectionsOfRedis_AreRead(string name)
    {
        var read = Read(RdbFile.Recorded(name), out var reader);

        Assert.Equal(["library of functions", "stream"], reader.Skipped.Keys);
        foreach (var kind in (RdbKind[])[RdbKind.Hash, RdbKind.List, RdbKind.Set, RdbKind.SortedSet])
            Assert.Equal(2, read.Count(entry => entry.StartsWith($"{kind} ", StringComparison.Ordinal)));
    }

    [Theory]
    [InlineData(1, "List k: a b", "\u0002\u0001a\u0001b")]
    [InlineData(2, "Set k: a b", "\u0002\u0001a\u0001b")]
    [InlineData(3, "SortedSet k: a=1.5 b=Infinity c=-Infinity", "\u0003\u0001a\u00031.5\u0001b\u00fe\u0001c\u00ff")]
    [InlineData(4, "Hash k: f v", "\u0001\u0001f\u0001v")]
    [InlineData(5, "SortedSet k: a=2", "\u0001\u0001a\0\0\0\0\0\0\0\u0040")]
    [InlineData(9, "Hash k: f v g ww", "\u0010\u0002\u0001f\u0001\u0000v\u0001g\u0002\u0003wwxxx\u00ff")]
    [InlineData(11, "Set k: -2 3", "\u000c\u0002\0\0\0\u0002\0\0\0\u00fe\u00ff\u0003\0")]
    [InlineData(10, "List k: a 7",
        "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff")]
    [InlineData(13, "Hash k: a 7",
        "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff")]
    [InlineData(12, "SortedSet k: a=7",
        "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff")]
    [InlineData(14, "List k: a 7 a 7",
        "\u0002\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff"
        + "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff")]
    [InlineData(16, "Hash k: a 7", "\u000c\u000c\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00ff")]
    [InlineData(17, "SortedSet k: a=7", "\u000c\u000c\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00ff")]
    [InlineData(18, "List k: x a 7",
        "\u0002\u0001\u0001x\u0002\u000c\u000c\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00ff")]
    [InlineData(16, "Hash k: -1 -300", "\u000d\u000d\0\0\0\u0002\0\u00df\u00ff\u0002\u00de\u00d4\u0002\u00ff")]
    public void TryRead_EveryEncoding_HasItsElements(byte type, string expected, string value)
    {
        byte[] file = new RdbBytes().Add(type).Text("k").Add(Encoding.Latin1.GetBytes(value)).End();

        Assert.Equal([expected], Read(file, out _));
    }

    [Fact]
    public void TryRead_NumbersOfEveryLengthInAListpack_AreTexts()
    {
        byte[] entries =
        [
            0xF1, 0x00, 0x80, 3, 0xF2, 0x00, 0x00, 0x80, 4, 0xF3, 0x00, 0x00, 0x00, 0x80, 5,
            0xF4, 0, 0, 0, 0, 0, 0, 0, 0x80, 9, 0xE0, 2, (byte)'h', (byte)'i', 4, 0xF0, 1, 0, 0, 0, (byte)'x', 6,
        ];
        byte[] pack = [(byte)(7 + entries.Length), 0, 0, 0, 0xFF, 0xFF, .. entries, 0xFF];
        var elements = Elements;

        Assert.True(RdbListpack.TryRead(pack, elements));
        Assert.Equal(
            ["-32768", "-8388608", "-2147483648", "-9223372036854775808", "hi", "x"],
            Enumerable.Range(0, 6).Select(i => Encoding.Latin1.GetString(elements[i])));
    }

    // Of a header, a count, an order, a length backwards, an end.
    [Theory]
    [InlineData(
        16, "\u000c\u000d\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00ff",
        "a packed value (listpack) is damaged.")]
    [InlineData(
        16, "\u000c\u000c\0\0\0\u0003\0\u0081a\u0002\u0007\u0001\u00ff",
        "a packed value (listpack) is damaged.")]
    [InlineData(
        16, "\u000c\u000c\0\0\0\u0002\0\u0081a\u0003\u0007\u0001\u00ff",
        "a packed value (listpack) is damaged.")]
    [InlineData(
        16, "\u000c\u000c\0\0\0\u0002\0\u0081a\u0002\u0007\u0001\u00fe",
        "a packed value (listpack) is damaged.")]
    [InlineData(
        16, "\u000c\u000c\0\0\0\u0002\0\u00bfa\u0002\u0007\u0001\u00ff",
        "a packed value (listpack) is damaged.")]
    [InlineData(16, "\u0009\u0009\0\0\0\u0001\0\u0007\u0001\u00ff", "a hash has a field without a value.")]
    [InlineData(17, "\u0009\u0009\0\0\0\u0001\0\u0007\u0001\u00ff", "a packed value (listpack) is damaged.")]
    [InlineData(
        17, "\u000d\u000d\0\0\0\u0002\0\u0007\u0001\u0081a\u0002\u00ff\u00ff",
        "a packed value (listpack) is damaged.")]
    [InlineData(17, "\u000c\u000c\0\0\0\u0002\0\u0007\u0001\u0081a\u0002\u00ff", "a score is no number.")]
    [InlineData(
        10, "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0004\u00f8\u00ff",
        "a packed value (ziplist) is damaged.")]
    [InlineData(
        10, "\u0010\u0010\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00ff\u00ff",
        "a packed value (ziplist) is damaged.")]
    [InlineData(
        10, "\u0010\u0011\0\0\0\u000d\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff",
        "a packed value (ziplist) is damaged.")]
    [InlineData(
        10, "\u0010\u0010\0\0\0\u000a\0\0\0\u0002\0\u0000\u0001a\u0003\u00f8\u00ff",
        "a packed value (ziplist) is damaged.")]
    [InlineData(11, "\u000c\u0003\0\0\0\u0002\0\0\0\u00fe\u00ff\u0003\0", "a packed value (intset) is damaged.")]
    [InlineData(11, "\u000c\u0002\0\0\0\u0003\0\0\0\u00fe\u00ff\u0003\0", "a packed value (intset) is damaged.")]
    [InlineData(11, "\u000c\u0002\0\0\0\u0002\0\0\0\u0003\0\u0003\0", "a packed value (intset) is damaged.")]
    [InlineData(9, "\u0007\u0002\u0001f\u0001\u0000v\u00ff", "a packed value (zipmap) is damaged.")]
    [InlineData(9, "\u0007\u0001\u0001f\u0001\u0009v\u00ff", "a packed value (zipmap) is damaged.")]
    [InlineData(3, "\u0001\u0001a\u00fd", "a score is no number.")]
    [InlineData(3, "\u0001\u0001a\u0001x", "a score is no number.")]
    [InlineData(5, "\u0001\u0001a\0\0\0\0\0\0\u00f8\u007f", "a score is no number.")]
    public void TryRead_WhatIsWrong_IsRefused(byte type, string value, string reason)
    {
        byte[] file = new RdbBytes().Add(type).Text("k").Add(Encoding.Latin1.GetBytes(value)).End();

        Assert.Equal(reason, Assert.Throws<RdbFormatException>(() => Read(file, out _)).Reason);
    }

    [Fact]
    public void TryRead_OfMoreThanTheBounds_KeepsNothingAndReadsOn()
    {
        var file = new RdbBytes().Add(2).Text("k").Add(50);
        for (int i = 0; i < 50; i++)
            file.Text($"{i}");
        var elements = new RdbElements(bytesMax: 100_000, countMax: 49);
        var reader = new RdbReader(new MemoryStream(file.Add(0).Text("s").Text("v").End()), elements);

        Assert.True(reader.TryRead(out var entry));
        Assert.Equal((RdbKind.Set, 50, true), (entry.Kind, elements.Count, elements.IsTooLong));
        Assert.True(reader.TryRead(out entry));
        Assert.Equal("v", Encoding.Latin1.GetString(entry.Value.Span));
        Assert.False(reader.TryRead(out _));
    }

    [Theory]
    [InlineData(new byte[] { 1, 1, 97, 0x81, 127, 255, 255, 255, 255, 255, 255, 255 })]
    [InlineData(new byte[] { 4, 1, 97, 0x81, 127, 255, 255, 255, 255, 255, 255, 255 })]
    [InlineData(new byte[] { 18, 1, 97, 0x81, 127, 255, 255, 255, 255, 255, 255, 255 })]
    [InlineData(new byte[] { 16, 1, 97, 0x80, 0x1F, 0xFF, 0xFF, 0xFF })]
    public void TryRead_LengthBeyondTheFile_TakesNoMemoryForIt(byte[] entry)
    {
        byte[] file = new RdbBytes().Add(entry).End();
        long before = GC.GetAllocatedBytesForCurrentThread();

        Assert.Throws<RdbFormatException>(() => Read(file, out _));

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, AllocatedBytesMax);
    }

    // Whatever a byte becomes, the file is read or refused, and nothing else happens.
    [Fact]
    public void TryRead_AnyByteChanged_EndsOrIsRefused() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] file = RdbFile.Recorded("types.rdb");
        for (int i = 0; i < 3_000; i++)
        {
            byte[] damaged = [.. file];
            for (int changes = random.Next(1, 4); changes > 0; changes--)
                damaged[random.Next(9, file.Length - 9)] = (byte)random.Next(256);
            damaged.AsSpan(file.Length - 8).Clear(); // No checksum.
            try
            {
                Read(damaged, out _);
            }
            catch (RdbFormatException)
            {
            }
        }
    });

    private static List<string> Read(byte[] file, out RdbReader reader)
    {
        reader = new RdbReader(new MemoryStream(file), Elements);
        List<string> read = [];
        while (reader.TryRead(out var entry))
        {
            if (entry.Kind == RdbKind.String)
                continue;
            var elements = reader.Elements!;
            var texts = Enumerable.Range(0, elements.IsTooLong ? 0 : (int)elements.Count).Select(i =>
                Encoding.Latin1.GetString(elements[i])
                + (entry.Kind == RdbKind.SortedSet ? FormattableString.Invariant($"={elements.Scores[i]}") : ""));
            read.Add($"{entry.Kind} {Encoding.Latin1.GetString(entry.Key.Span)}: {string.Join(' ', texts)}");
        }

        return read;
    }
}
