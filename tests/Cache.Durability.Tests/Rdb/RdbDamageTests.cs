using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

/// <summary>Damaged and hostile files: each is refused with its place and its reason.</summary>
public sealed class RdbDamageTests
{
    private const long AllocatedBytesMax = 4 << 20;

    [Theory]
    [InlineData("", 0, "the file is shorter than the header of an RDB file.")]
    [InlineData("REDIS", 5, "the file is shorter than the header of an RDB file.")]
    [InlineData("CACHEDUR1", 0, "the file does not begin with \"REDIS\": it is no RDB file.")]
    [InlineData("REDIS00x0", 5, "four digits of a version are expected.")]
    [InlineData("REDIS0000", 5, "the RDB version 0; versions 1 to 10 (Redis 7.0) can be read.")]
    [InlineData("REDIS0011", 5, "the RDB version 11; versions 1 to 10 (Redis 7.0) can be read.")]
    public void Open_NoFileThatCanBeRead_IsRefused(string header, long offset, string reason) =>
        Refused(new RdbBytes(header).ToArray(), offset, reason);

    [Fact]
    public void TryRead_NoEnd_IsRefused() =>
        Refused(new RdbBytes().Add(0).Text("k").Text("v").ToArray(), 14, "the file ends within an entry.");

    [Fact]
    public void TryRead_WrongChecksum_IsRefused() => Refused(
        new RdbBytes().Add(255, 1, 2, 3, 4, 5, 6, 7, 8).ToArray(), 10,
        "the checksum is 0807060504030201, that of the file "
        + $"{Crc64.Append(0, new RdbBytes().Add(255).ToArray()):x16}.");

    [Fact]
    public void TryRead_BytesBehindTheEnd_AreRefused() =>
        Refused([.. new RdbBytes().End(), 1], 18, "bytes follow the end.");

    [Theory]
    [InlineData(new byte[] { 8 }, 9, "the byte 8 is no type of Redis 7.0.")]
    [InlineData(new byte[] { 20 }, 9, "the byte 20 is no type of Redis 7.0.")]
    [InlineData(new byte[] { 246 }, 9, "the byte 246 is no type of Redis 7.0.")]
    [InlineData(new byte[] { 0, 0x82 }, 10, "no length begins with the byte 82.")]
    [InlineData(new byte[] { 0, 0xC4 }, 10, "no length begins with the byte c4.")]
    [InlineData(new byte[] { 254, 0xC0, 1 }, 10, "a length is expected, and an encoded string stands there.")]
    [InlineData(new byte[] { 254, 0x80, 0x80, 0, 0, 0 }, 9, "a database 2147483648.")]
    [InlineData(new byte[] { 0, 0x80, 0x20, 0, 0, 1 }, 10, "a string of 536870913 bytes; 536870912 at most.")]
    [InlineData(
        new byte[] { 0, 0x81, 255, 255, 255, 255, 255, 255, 255, 255 }, 10,
        "a string of 18446744073709551615 bytes; 536870912 at most.")]
    [InlineData(new byte[] { 1, 1, 97, 0x81, 128, 0, 0, 0, 0, 0, 0, 0 }, 12, "a length of 9223372036854775808.")]
    [InlineData(new byte[] { 0, 0xC3, 1, 0x40, 89, 0 }, 10, "1 compressed bytes cannot stand for 89.")]
    [InlineData(new byte[] { 0, 0xC3, 2, 3, 0x20, 0 }, 10, "a string is not what LZF compressed.")]
    [InlineData(new byte[] { 18, 1, 97, 1, 3, 1, 98 }, 13, "a node of a list is neither plain nor packed.")]
    [InlineData(new byte[] { 7, 1, 97, 0, 6, 0 }, 13, "the data of a module have an unknown part.")]
    [InlineData(new byte[] { 247, 0, 1, 0, 0 }, 11, "the data of a module do not begin with their moment.")]
    public void TryRead_WhatIsWrong_IsRefusedWithItsPlace(byte[] entry, long offset, string reason) =>
        Refused(new RdbBytes().Add(entry).End(), offset, reason);

    // Sizes that are not there: in each place where a length can stand.
    [Theory]
    [InlineData(new byte[] { 0, 0x80, 0x1F, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 0, 1, 97, 0x80, 0x1F, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 0, 0xC3, 0x80, 0x1F, 0xFF, 0xFF, 0xFF, 0x80, 0x1F, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 250, 1, 97, 0x80, 0x1F, 0xFF, 0xFF, 0xFF })]
    [InlineData(new byte[] { 2, 1, 97, 0x81, 127, 255, 255, 255, 255, 255, 255, 255 })]
    [InlineData(new byte[] { 19, 1, 97, 0x81, 127, 255, 255, 255, 255, 255, 255, 255 })]
    public void TryRead_LengthBeyondTheFile_TakesNoMemoryForIt(byte[] entry)
    {
        byte[] file = new RdbBytes().Add(entry).End();
        long before = GC.GetAllocatedBytesForCurrentThread();

        Assert.Throws<RdbFormatException>(() => RdbFile.Read(file));

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, AllocatedBytesMax);
    }

    [Theory]
    [InlineData("strings.rdb")]
    [InlineData("types.rdb")]
    public void TryRead_EveryTruncation_IsRefusedAtItsEndOrBefore(string name)
    {
        byte[] file = RdbFile.Recorded(name);
        for (int length = 0; length < file.Length; length++)
        {
            var refused = Assert.Throws<RdbFormatException>(() => RdbFile.Read(file[..length]));
            Assert.InRange(refused.Offset, 0, length);
        }
    }

    // The checksum finds every one; what comes before it must end, and be refused in no other way.
    [Theory]
    [InlineData("strings.rdb")]
    [InlineData("types.rdb")]
    [InlineData("lfu.rdb")]
    public void TryRead_EveryByteChanged_IsRefused(string name)
    {
        byte[] file = RdbFile.Recorded(name);
        for (int at = 0; at < file.Length; at++)
        {
            foreach (byte mask in (byte[])[0xFF, 0x01, 0x80])
            {
                byte[] changed = [.. file];
                changed[at] ^= mask;
                Assert.Throws<RdbFormatException>(() => RdbFile.Read(changed));
            }
        }
    }

    [Fact]
    public void TryRead_NoiseBehindAHeader_EndsWithARefusal() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] types = [0, 0, 1, 2, 4, 5, 7, 11, 14, 15, 18, 19, 247, 250, 252, 254];
        for (int i = 0; i < 20_000; i++)
        {
            byte[] noise = new byte[random.Next(200)];
            random.NextBytes(noise);
            for (int at = 0; at < noise.Length; at++)
            {
                noise[at] = random.Next(3) switch
                {
                    0 => types[random.Next(types.Length)],
                    1 => (byte)random.Next(8),
                    _ => noise[at],
                };
            }

            byte[] file = new RdbBytes().Add(noise).Add(99).ToArray();

            Assert.Throws<RdbFormatException>(() => RdbFile.Read(file));
        }
    });

    private static void Refused(byte[] file, long offset, string reason)
    {
        var refused = Assert.Throws<RdbFormatException>(() => RdbFile.Read(file));
        Assert.Equal((offset, reason), (refused.Offset, refused.Reason));
        Assert.Equal($"At byte {offset}: {reason}", refused.Message);
    }
}
