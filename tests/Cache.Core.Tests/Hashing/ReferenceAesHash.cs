using System.Buffers.Binary;

namespace Cache.Core.Tests.Hashing;

/// <summary>The hash of AES rounds, written down from its definition, byte by byte.</summary>
internal static class ReferenceAesHash
{
    private const int Block = 16;

    /// <summary>A round of AES as FIPS 197 defines it, on a state in the order of columns.</summary>
    public static byte[] Round(byte[] state, ReadOnlySpan<byte> key)
    {
        byte[] result = new byte[Block];
        for (int column = 0; column < 4; column++)
        {
            byte[] mixed = new byte[4];
            for (int row = 0; row < 4; row++)
                mixed[row] = Substitute(state[(column + row) % 4 * 4 + row]);
            for (int row = 0; row < 4; row++)
            {
                result[column * 4 + row] = (byte)(Multiply(2, mixed[row]) ^ Multiply(3, mixed[(row + 1) % 4])
                    ^ mixed[(row + 2) % 4] ^ mixed[(row + 3) % 4] ^ key[column * 4 + row]);
            }
        }

        return result;
    }

    /// <summary>secret: The start, four keys of a block, three of the end.</summary>
    public static ulong Hash(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> key)
    {
        byte[] state = secret[..Block].ToArray();
        for (int start = 0; start < key.Length; start += Block)
        {
            Xor(state, key[start..Math.Min(start + Block, key.Length)]);
            for (int round = 1; round <= 4; round++)
                state = Round(state, secret.Slice(round * Block, Block));
        }

        byte[] length = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(length, (ulong)key.Length);
        Xor(state, length);
        for (int round = 5; round <= 7; round++)
            state = Round(state, secret.Slice(round * Block, Block));
        return BinaryPrimitives.ReadUInt64LittleEndian(state);
    }

    /// <summary>A whole encryption by AES-128 made of these rounds, to be compared with the framework's.</summary>
    public static byte[] Encrypt(ReadOnlySpan<byte> roundKeys, ReadOnlySpan<byte> block)
    {
        byte[] state = block.ToArray();
        Xor(state, roundKeys[..Block]);
        for (int round = 1; round < 10; round++)
            state = Round(state, roundKeys.Slice(round * Block, Block));
        byte[] result = new byte[Block];
        for (int i = 0; i < Block; i++)
            result[i] = (byte)(Substitute(state[(i / 4 + i % 4) % 4 * 4 + i % 4]) ^ roundKeys[10 * Block + i]);
        return result;
    }

    /// <summary>The eleven round keys of AES-128.</summary>
    public static byte[] Expand(ReadOnlySpan<byte> key)
    {
        byte[] keys = new byte[11 * Block];
        key.CopyTo(keys);
        byte constant = 1;
        for (int i = Block; i < keys.Length; i += 4)
        {
            byte[] word = keys[(i - 4)..i];
            if (i % Block == 0)
            {
                word = [.. word.Skip(1).Append(word[0]).Select(Substitute)];
                word[0] ^= constant;
                constant = Multiply(2, constant);
            }

            for (int j = 0; j < 4; j++)
                keys[i + j] = (byte)(keys[i + j - Block] ^ word[j]);
        }

        return keys;
    }

    private static void Xor(byte[] state, ReadOnlySpan<byte> bytes)
    {
        for (int i = 0; i < bytes.Length; i++)
            state[i] ^= bytes[i];
    }

    // The inverse in GF(2^8), then the affine map.
    private static byte Substitute(byte value)
    {
        byte inverse = 0;
        for (int candidate = 1; candidate < 256 && value != 0; candidate++)
        {
            if (Multiply((byte)candidate, value) == 1)
                inverse = (byte)candidate;
        }

        int result = 0x63;
        for (int shift = 0; shift < 5; shift++)
            result ^= ((inverse << shift) | (inverse >> (8 - shift))) & 0xFF;
        return (byte)result;
    }

    private static byte Multiply(byte one, byte other)
    {
        int product = 0;
        int factor = one;
        for (int bits = other; bits != 0; bits >>= 1)
        {
            if ((bits & 1) != 0)
                product ^= factor;
            factor = (factor << 1) ^ ((factor & 0x80) != 0 ? 0x11B : 0);
        }

        return (byte)product;
    }
}
