using System.Text;
using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

public sealed class RdbWriterTests
{
    private static readonly DateTimeOffset s_writtenAt = DateTimeOffset.FromUnixTimeSeconds(1_700_000_000);

    [Fact]
    public void Write_EntriesOfRedis_AreThoseThatWereRead()
    {
        var entries = RdbFile.Read(RdbFile.Recorded("strings.rdb"));

        var reader = RdbFile.Open(Write(entries));

        Assert.Equal(entries, RdbFile.Read(reader));
        Assert.Equal(RdbFormat.VersionMax, reader.Version);
        Assert.True(reader.IsChecksummed);
        Assert.Equal("1700000000", reader.Auxiliaries["ctime"]);
    }

    [Theory]
    [InlineData("0", 2)]
    [InlineData("127", 2)]
    [InlineData("-129", 3)]
    [InlineData("32768", 5)]
    [InlineData("-2147483648", 5)]
    [InlineData("2147483648", 11)]
    [InlineData("", 1)]
    [InlineData("00", 3)]
    [InlineData("-0", 3)]
    [InlineData("+1", 3)]
    [InlineData("1 ", 3)]
    public void Write_ShortNumber_IsANumberOnlyIfItIsReadAsTheSameText(string value, int length)
    {
        byte[] without = Write([]);
        byte[] file = Write([(0, "k", value, null)]);

        Assert.Equal((0, "k", value, null), Assert.Single(RdbFile.Read(file)));
        Assert.Equal(length, file.Length - without.Length - 2 - 1 - 2);
    }

    [Theory]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(16_383)]
    [InlineData(16_384)]
    [InlineData(200_000)]
    public void Write_EveryWidthOfALength_IsRead(int length)
    {
        string value = new('v', length);

        Assert.Equal(value, Assert.Single(RdbFile.Read(Write([(0, "k", value, null)]))).Value);
    }

    [Fact]
    public void Write_AnyEntries_AreRead() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        List<(int, string, string, long?)> entries = [];
        for (int i = 0; i < 2000; i++)
        {
            entries.Add((
                random.Next(3) == 0 ? random.Next(16) : 0, Text(random),
                random.Next(4) == 0 ? $"{random.Next(int.MinValue, int.MaxValue) >> random.Next(32)}" : Text(random),
                random.Next(3) == 0 ? random.NextInt64() : null));
        }

        Assert.Equal(entries, RdbFile.Read(Write(entries)));
    });

    private static string Text(Random random)
    {
        byte[] bytes = new byte[random.Next(100)];
        random.NextBytes(bytes);
        return Encoding.Latin1.GetString(bytes);
    }

    private static byte[] Write(List<(int Database, string Key, string Value, long? ExpiresAtMs)> entries)
    {
        using var stream = new MemoryStream();
        var writer = new RdbWriter(stream, s_writtenAt);
        foreach (var (database, key, value, expiresAtMs) in entries)
        {
            writer.Write(new RdbEntry(
                database, Encoding.Latin1.GetBytes(key), Encoding.Latin1.GetBytes(value), expiresAtMs));
        }

        writer.WriteEnd();
        return stream.ToArray();
    }
}
