using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Durability.Tests.Rdb;

public sealed class RdbReaderTests
{
    [Fact]
    public void TryRead_StringsOfRedis_AreRead()
    {
        var reader = RdbFile.Open(RdbFile.Recorded("strings.rdb"));

        var entries = RdbFile.Read(reader).ToDictionary(entry => (entry.Database, entry.Key));

        Assert.Equal(15, entries.Count);
        Assert.Equal("hello", entries[(0, "s")].Value);
        Assert.Equal("", entries[(0, "empty")].Value);
        Assert.Equal("nokey", entries[(0, "")].Value);
        Assert.Equal("-5", entries[(0, "i8")].Value);
        Assert.Equal("-3000", entries[(0, "i16")].Value);
        Assert.Equal("2000000000", entries[(0, "i32")].Value);
        Assert.Equal("9007199254740993", entries[(0, "i64")].Value);
        Assert.Equal("0", entries[(0, "zero")].Value);
        Assert.Equal("007", entries[(0, "lead")].Value);
        Assert.Equal("-2147483648", entries[(0, "min")].Value);
        Assert.Equal(string.Concat(Enumerable.Repeat("abcdefghij", 60)), entries[(0, "lzf")].Value);
        Assert.Equal(new string('x', 700), entries[(0, "runs")].Value);
        Assert.Equal(400, entries[(0, "long14")].Value.Length);
        Assert.Equal(4_102_444_800_000, entries[(0, "later")].ExpiresAtMs);
        Assert.Equal("three", entries[(3, "other")].Value);
        Assert.Equal(4_102_444_801_000, entries[(3, "other")].ExpiresAtMs);
        Assert.Equal(13, entries.Values.Count(entry => entry.ExpiresAtMs is null));
        Assert.Empty(reader.Skipped);
        Assert.Equal(10, reader.Version);
        Assert.True(reader.IsChecksummed);
        Assert.Equal("7.0.15", reader.Auxiliaries["redis-ver"]);
    }

    [Theory]
    [InlineData("types.rdb")]
    [InlineData("lfu.rdb")]
    public void TryRead_OtherTypesOfRedis_AreCountedAndNamed(string name)
    {
        var reader = RdbFile.Open(RdbFile.Recorded(name));

        var entries = RdbFile.Read(reader);

        Assert.Equal(16, entries.Count);
        Assert.Contains((0, "last", "entry", null), entries);
        Assert.Equal(
            ["hash 2", "library of functions 1", "list 2", "set 2", "stream 1", "zset 2"],
            reader.Skipped.Select(type => $"{type.Key} {type.Value}"));
    }

    [Fact]
    public void TryRead_ManyModules_AreCountedTogetherBeyondABound()
    {
        const int Modules = 1000;
        var file = new RdbBytes();
        for (int i = 0; i < Modules; i++)
            file.Add((byte)RdbType.Module).Text("key").Add(0x81, 0, 0, 0, 0, 0, (byte)(i >> 8), (byte)i, 0).Add(0);

        var reader = RdbFile.Open(file.End());

        Assert.Empty(RdbFile.Read(reader));
        Assert.Equal(Modules, reader.Skipped.Values.Sum());
        Assert.InRange(reader.Skipped.Count, 2, 65);
    }

    // Encodings that older versions wrote and Redis 7.0 still loads, and modules: by hand from rdb.c.
    [Theory]
    [InlineData(1, "list", "\u0002\u0001a\u0001b")]
    [InlineData(2, "set", "\u0002\u0001a\u0001b")]
    [InlineData(3, "zset", "\u0003\u0001a\u00031.5\u0001b\u00fe\u0001c\u00fd")]
    [InlineData(4, "hash", "\u0001\u0001f\u0001v")]
    [InlineData(5, "zset", "\u0001\u0001a12345678")]
    [InlineData(9, "hash", "\u0003abc")]
    [InlineData(10, "list", "\u0003abc")]
    [InlineData(11, "set", "\u0003abc")]
    [InlineData(12, "zset", "\u0003abc")]
    [InlineData(13, "hash", "\u0003abc")]
    [InlineData(14, "list", "\u0002\u0003abc\u0001d")]
    [InlineData(16, "hash", "\u00c0\u0007")]
    [InlineData(17, "zset", "\u0003abc")]
    [InlineData(18, "list", "\u0002\u0001\u0003abc\u0002\u0001d")]
    [InlineData(15, "stream", "\u0000\u0000\u0000\u0000\u0000")]
    [InlineData(15, "stream",
        "\u0001\u00020k\u0003pak\u0001\u0002\u0003\u0001\u0001g\u0001\u0002\u0001ididididididididtimetime\u0001"
        + "\u0001\u0001ctimetime\u0001idididididididid")]
    [InlineData(19, "stream", "\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000")]
    [InlineData(7, "module AAAAAAAAA", "\u0000\u0001\u0007\u0002\u0007\u0003four\u0004eightbyt\u0005\u0002st\u0000")]
    public void TryRead_EveryEncodingOfAnotherType_IsPassedOverExactly(byte type, string name, string value)
    {
        var reader = RdbFile.Open(new RdbBytes()
            .Add(type).Text("other").Add(Encoding.Latin1.GetBytes(value)).Add(0).Text("k").Text("v").End());

        Assert.Equal([(0, "k", "v", null)], RdbFile.Read(reader));
        Assert.Equal([$"{name} 1"], reader.Skipped.Select(skipped => $"{skipped.Key} {skipped.Value}"));
    }

    [Fact]
    public void TryRead_DataOfAModule_AreNamed()
    {
        // The name of a module is nine letters of six bits; the last ten bits are a version.
        var reader = RdbFile.Open(new RdbBytes()
            .Add(247).Add(0x81, 0x04, 0x20, 0xC4, 0x14, 0x61, 0xC8, 0x08, 0x01).Add(2, 1, 5, 1, (byte)'x', 0)
            .Add(0).Text("k").Text("v").End());

        Assert.Single(RdbFile.Read(reader));
        string skipped = Assert.Single(reader.Skipped).Key;
        Assert.StartsWith("data of module BCDEF", skipped);
    }

    [Fact]
    public void TryRead_ExpiryOfAnotherType_IsNotThatOfTheNextString()
    {
        byte[] file = new RdbBytes()
            .Add(253, 1, 0, 0, 0).Add(2).Text("set").Add(1).Text("a")
            .Add(0).Text("k").Text("v").End();

        Assert.Equal([(0, "k", "v", null)], RdbFile.Read(file));
    }

    [Fact]
    public void TryRead_ExpiryInSeconds_IsRead()
    {
        byte[] file = new RdbBytes().Add(253, 1, 1, 0, 0).Add(0).Text("k").Text("v").End();

        Assert.Equal([(0, "k", "v", 257_000L)], RdbFile.Read(file));
    }

    [Fact]
    public void TryRead_WithoutChecksum_SaysSo()
    {
        byte[] file = new RdbBytes().Add(0).Text("k").Text("v").Add(255, 0, 0, 0, 0, 0, 0, 0, 0).ToArray();
        var reader = RdbFile.Open(file);

        Assert.Single(RdbFile.Read(reader));
        Assert.False(reader.IsChecksummed);
    }

    [Fact]
    public void TryRead_VersionBeforeChecksums_EndsWithItsOpcode()
    {
        byte[] file = new RdbBytes("REDIS0004").Add(0).Text("k").Text("v").Add(255).ToArray();

        Assert.Single(RdbFile.Read(file));
    }

    [Fact]
    public void TryRead_BehindTheEnd_StaysFalse()
    {
        var reader = RdbFile.Open(new RdbBytes().End());

        Assert.False(reader.TryRead(out _));
        Assert.False(reader.TryRead(out _));
    }
}
