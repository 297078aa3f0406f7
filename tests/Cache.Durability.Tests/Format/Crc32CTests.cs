using Cache.Durability.Format;
using Cache.Testing;

namespace Cache.Durability.Tests.Format;

public sealed class Crc32CTests
{
    [Fact]
    public void Of_KnownText_IsThePublishedValue() => Assert.Equal(0xE3069283u, Crc32C.Of("123456789"u8));

    [Fact]
    public void Of_AnyLength_IsThatOfTheDefinition() => RandomSeed.Run(this, static seed =>
    {
        byte[] bytes = RandomBytes(seed, 300);
        for (int length = 0; length <= bytes.Length; length++)
            Assert.Equal(Definition(bytes.AsSpan(0, length)), Crc32C.Of(bytes.AsSpan(0, length)));
    });

    [Fact]
    public void OfQuarters_AnyLength_IsThatOfTheDefinition() => RandomSeed.Run(this, static seed =>
    {
        byte[] bytes = RandomBytes(seed, 40_000);
        for (int length = bytes.Length - 40; length <= bytes.Length; length++)
            Assert.Equal(Definition(bytes.AsSpan(0, length)), Crc32C.OfQuarters(bytes.AsSpan(0, length)));
        for (int length = 0; length <= 300; length++)
            Assert.Equal(Definition(bytes.AsSpan(0, length)), Crc32C.OfQuarters(bytes.AsSpan(0, length)));
    });

    private static byte[] RandomBytes(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    // Bit by bit, as the polynomial says.
    private static uint Definition(ReadOnlySpan<byte> bytes)
    {
        uint checksum = ~0u;
        foreach (byte value in bytes)
        {
            checksum ^= value;
            for (int bit = 0; bit < 8; bit++)
                checksum = (checksum >> 1) ^ ((checksum & 1) != 0 ? 0x82F63B78u : 0);
        }

        return ~checksum;
    }
}
