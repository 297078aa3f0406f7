using Cache.Server.Commands.Bits;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Bits;

/// <summary>Counting, finding and combining bits, against one bit after the other.</summary>
public sealed class BitSearchTests
{
    [Fact]
    public void CountAndFind_InRandomRanges_AreThoseOfSingleBits() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 2_000; round++)
        {
            byte[] bytes = MakeBytes(random, random.Next(1, 200));
            int first = random.Next(bytes.Length * 8);
            int last = random.Next(first, bytes.Length * 8);
            bool bit = random.Next(2) == 0;
            int[] found = [.. Enumerable.Range(first, last - first + 1).Where(i => IsSet(bytes, i))];
            int[] wanted = [.. Enumerable.Range(first, last - first + 1).Where(i => IsSet(bytes, i) == bit)];

            Assert.Equal(found.Length, BitSearch.Count(bytes, first, last));
            Assert.Equal(wanted.Length == 0 ? -1 : wanted[0], BitSearch.Find(bytes, first, last, bit));
        }
    });

    [Theory]
    [InlineData(nameof(BitLogic.And))]
    [InlineData(nameof(BitLogic.Or))]
    [InlineData(nameof(BitLogic.Xor))]
    [InlineData(nameof(BitLogic.Not))]
    public void Combine_AnyLength_IsThatOfSingleBytes(string name)
    {
        var logic = Enum.Parse<BitLogic>(name);
        var random = new Random(1);
        for (int length = 0; length < 150; length++)
        {
            byte[] target = MakeBytes(random, length);
            byte[] source = MakeBytes(random, length);
            byte[] expected = [.. target.Zip(source, (one, other) => (byte)(logic switch
            {
                BitLogic.And => one & other,
                BitLogic.Or => one | other,
                BitLogic.Xor => one ^ other,
                _ => ~other,
            }))];

            BitLogics.Combine(logic, target, source);

            Assert.Equal(expected, target);
        }
    }

    // Mostly alike, so that what is looked for is far.
    private static byte[] MakeBytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        bytes.AsSpan().Fill(random.Next(2) == 0 ? (byte)0 : (byte)0xFF);
        for (int i = random.Next(4); i > 0 && length > 0; i--)
            bytes[random.Next(length)] = (byte)random.Next(256);
        return bytes;
    }

    private static bool IsSet(byte[] bytes, int bit) => (bytes[bit / 8] >> (7 - bit % 8) & 1) != 0;
}
