using Cache.Durability.Rdb;
using Cache.Testing;

namespace Cache.Durability.Tests.Rdb;

public sealed class Crc64Tests
{
    [Fact]
    public void Append_CheckText_HasTheKnownValue() =>
        Assert.Equal(0xE9C6D914C4B8D9CA, Crc64.Append(0, "123456789"u8));

    [Fact]
    public void Append_Nothing_KeepsTheSum() => Assert.Equal(77ul, Crc64.Append(77, []));

    [Fact]
    public void Append_InAnyParts_IsThatOfTheWholeBitByBit() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] bytes = new byte[500];
        random.NextBytes(bytes);
        ulong sum = 0;
        for (int at = 0; at < bytes.Length;)
        {
            int length = Math.Min(bytes.Length - at, random.Next(40));
            sum = Crc64.Append(sum, bytes.AsSpan(at, length));
            at += length;
        }

        Assert.Equal(BitByBit(bytes), sum);
    });

    private static ulong BitByBit(byte[] bytes)
    {
        ulong sum = 0;
        foreach (byte next in bytes)
        {
            for (int bit = 0; bit < 8; bit++)
            {
                bool isOdd = ((sum ^ (ulong)(next >> bit)) & 1) != 0;
                sum = (sum >> 1) ^ (isOdd ? 0x95AC9329AC4BC9B5 : 0);
            }
        }

        return sum;
    }
}
