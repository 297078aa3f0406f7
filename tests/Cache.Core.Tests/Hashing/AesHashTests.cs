using System.Numerics;
using System.Security.Cryptography;
using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests.Hashing;

/// <remarks>Where the processor has no instructions for AES, the store has the other hash: so has the test.</remarks>
public sealed class AesHashTests
{
    private const int LengthMax = 64;
    private const int Samples = 1 << 16;

    [Fact]
    public void Reference_WholeEncryption_IsThatOfTheFramework() => RandomSeed.Run(this, seed =>
    {
        byte[] key = RandomBytes(new Random(seed), 16);
        byte[] block = RandomBytes(new Random(~seed), 16);
        using var aes = Aes.Create();
        aes.Key = key;

        byte[] encrypted = ReferenceAesHash.Encrypt(ReferenceAesHash.Expand(key), block);

        Assert.Equal(aes.EncryptEcb(block, PaddingMode.None), encrypted);
    });

    [Fact]
    public void Hash_EveryLengthAndAlignment_IsThatOfTheReference() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int length = 0; length <= LengthMax; length++)
        {
            byte[] secret = RandomBytes(random, AesHash.SecretLength);
            int offset = random.Next(9);
            byte[] bytes = RandomBytes(random, offset + length + 9);
            var key = bytes.AsSpan(offset, length);

            ulong expected = AesHash.IsSupported ? ReferenceAesHash.Hash(secret, key) : HashOf(secret, key);

            Assert.Equal(expected, HashOf(secret, key));
        }
    });

    [Fact]
    public void Hash_ZerosOfEveryLength_AreAllDifferent() => RandomSeed.Run(this, seed =>
    {
        byte[] secret = RandomBytes(new Random(seed), AesHash.SecretLength);

        var hashes = Enumerable.Range(0, LengthMax).Select(length => HashOf(secret, new byte[length])).ToHashSet();

        Assert.Equal(LengthMax, hashes.Count);
    });

    // The differences that an unkeyed or badly mixed hash cancels: in one block by another, in the length by a byte.
    [Fact]
    public void Hash_KeysThatDifferInFewBits_SpreadEvenly() => RandomSeed.Run(this, seed =>
    {
        byte[] secret = RandomBytes(new Random(seed), AesHash.SecretLength);
        int[] low = new int[256], middle = new int[256], high = new int[256];
        byte[] key = new byte[32];
        for (int i = 0; i < Samples; i++)
        {
            key.AsSpan().Clear();
            key[i & 31] = (byte)(i >> 5);
            key[(i >> 5) & 31] ^= (byte)(i >> 8);
            key[31] = (byte)(i >> 13);
            key[7] ^= (byte)i;
            ulong hash = HashOf(secret, key.AsSpan(0, 16 + (i & 16)));
            low[(byte)hash]++;
            middle[(byte)(hash >> 20)]++;
            high[hash >> 56]++;
        }

        Assert.All([low, middle, high], counts => Assert.InRange(counts.Max(), Samples / 512, Samples / 128));
    });

    [Fact]
    public void Hash_OneBitOfTheKeyFlipped_FlipsHalfOfTheHash() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        byte[] secret = RandomBytes(random, AesHash.SecretLength);
        foreach (int length in (int[])[1, 7, 8, 15, 16, 17, 31, 32, 40])
        {
            long flipped = 0;
            int flips = 0;
            for (int sample = 0; sample < 64; sample++)
            {
                byte[] key = RandomBytes(random, length);
                ulong hash = HashOf(secret, key);
                for (int bit = 0; bit < length * 8; bit++, flips++)
                {
                    key[bit / 8] ^= (byte)(1 << (bit % 8));
                    flipped += BitOperations.PopCount(hash ^ HashOf(secret, key));
                    key[bit / 8] ^= (byte)(1 << (bit % 8));
                }
            }

            Assert.InRange(flipped / (double)flips, 30, 34);
        }
    });

    [Fact]
    public void CreateRandom_Twice_HashesDifferently() =>
        Assert.NotEqual(KeyedHash.CreateRandom().Hash("key"u8), KeyedHash.CreateRandom().Hash("key"u8));

    private static ulong HashOf(byte[] secret, ReadOnlySpan<byte> key) => AesHash.IsSupported
        ? new AesHash(secret).Hash(key)
        : new SipHash13(BitConverter.ToUInt64(secret), BitConverter.ToUInt64(secret, 8)).Hash(key);

    private static byte[] RandomBytes(Random random, int length)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
