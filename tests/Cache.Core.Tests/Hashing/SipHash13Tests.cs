using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests.Hashing;

public sealed class SipHash13Tests
{
    [Fact]
    public void Hash_EveryLengthAndAlignment_IsThatOfTheReference() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int length = 0; length <= 64; length++)
        {
            for (int offset = 0; offset < 9; offset++)
            {
                ulong secret0 = (ulong)random.NextInt64(), secret1 = (ulong)random.NextInt64() << 1;
                byte[] bytes = new byte[offset + length + 9];
                random.NextBytes(bytes);
                byte[] key = bytes[offset..(offset + length)];

                ulong hash = new SipHash13(secret0, secret1).Hash(bytes.AsSpan(offset, length));

                Assert.Equal(ReferenceSipHash.Hash(1, 3, secret0, secret1, key), hash);
            }
        }
    });

    // The vector of the paper's appendix A is for 2-4, the same code with other numbers of rounds.
    [Fact]
    public void Reference_VectorOfThePaper_HasItsHash()
    {
        byte[] key = [.. Enumerable.Range(0, 15).Select(static i => (byte)i)];

        ulong hash = ReferenceSipHash.Hash(2, 4, 0x0706050403020100, 0x0f0e0d0c0b0a0908, key);

        Assert.Equal(0xa129ca6149be45e5, hash);
    }

    [Fact]
    public void CreateRandom_Twice_HashesDifferently() =>
        Assert.NotEqual(SipHash13.CreateRandom().Hash("key"u8), SipHash13.CreateRandom().Hash("key"u8));
}
