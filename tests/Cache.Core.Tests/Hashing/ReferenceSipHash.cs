namespace Cache.Core.Tests.Hashing;

/// <summary>SipHash-c-d, byte by byte, as the paper describes it.</summary>
internal static class ReferenceSipHash
{
    public static ulong Hash(int compressions, int finals, ulong secret0, ulong secret1, byte[] key)
    {
        ulong[] v =
        [
            secret0 ^ 0x736f6d6570736575, secret1 ^ 0x646f72616e646f6d,
            secret0 ^ 0x6c7967656e657261, secret1 ^ 0x7465646279746573,
        ];
        // Padded with zeros to whole words, the last byte being the length.
        byte[] padded = new byte[key.Length / 8 * 8 + 8];
        key.CopyTo(padded, 0);
        padded[^1] = (byte)key.Length;
        for (int start = 0; start < padded.Length; start += 8)
        {
            ulong word = 0;
            for (int i = 7; i >= 0; i--)
                word = (word << 8) + padded[start + i];
            v[3] ^= word;
            Rounds(v, compressions);
            v[0] ^= word;
        }

        v[2] ^= 0xff;
        Rounds(v, finals);
        return v[0] ^ v[1] ^ v[2] ^ v[3];
    }

    private static void Rounds(ulong[] v, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Mix(v, 0, 1, 13);
            v[0] = Rotate(v[0], 32);
            Mix(v, 2, 3, 16);
            Mix(v, 0, 3, 21);
            Mix(v, 2, 1, 17);
            v[2] = Rotate(v[2], 32);
        }
    }

    private static void Mix(ulong[] v, int sum, int other, int bits)
    {
        v[sum] += v[other];
        v[other] = Rotate(v[other], bits) ^ v[sum];
    }

    private static ulong Rotate(ulong word, int bits) => (word << bits) | (word >> (64 - bits));
}
