using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace Cache.Core.Hashing;

/// <summary>SipHash-1-3 with a secret key: a client cannot choose keys that collide.</summary>
/// <remarks>
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), with one compression and three
/// finalisation rounds.
/// </remarks>
internal readonly struct SipHash13(ulong secret0, ulong secret1)
{
    private readonly ulong _secret0 = secret0;
    private readonly ulong _secret1 = secret1;

    public static SipHash13 CreateRandom()
    {
        Span<byte> secret = stackalloc byte[16];
        RandomNumberGenerator.Fill(secret);
        return new SipHash13(
            BinaryPrimitives.ReadUInt64LittleEndian(secret), BinaryPrimitives.ReadUInt64LittleEndian(secret[8..]));
    }

    public ulong Hash(ReadOnlySpan<byte> key)
    {
        ulong v0 = 0x736f6d6570736575UL ^ _secret0, v1 = 0x646f72616e646f6dUL ^ _secret1;
        ulong v2 = 0x6c7967656e657261UL ^ _secret0, v3 = 0x7465646279746573UL ^ _secret1;
        ulong last = (ulong)key.Length << 56;
        if (key.Length == 2 * sizeof(ulong)) // The commonest length, without the loop and the tail.
        {
            Compress(BinaryPrimitives.ReadUInt64LittleEndian(key), ref v0, ref v1, ref v2, ref v3);
            Compress(BinaryPrimitives.ReadUInt64LittleEndian(key[sizeof(ulong)..]), ref v0, ref v1, ref v2, ref v3);
        }
        else
        {
            while (key.Length >= sizeof(ulong))
            {
                Compress(BinaryPrimitives.ReadUInt64LittleEndian(key), ref v0, ref v1, ref v2, ref v3);
                key = key[sizeof(ulong)..];
            }

            last |= KeyTail.Read(key);
        }

        Compress(last, ref v0, ref v1, ref v2, ref v3);
        v2 ^= 0xff;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    // By reference and not inlined, the state would live on the stack.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Compress(ulong word, ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v3 ^= word;
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= word;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The same.
    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v3;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
