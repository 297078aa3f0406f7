using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Security.Cryptography;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;
using X86Aes = System.Runtime.Intrinsics.X86.Aes;

namespace Cache.Core.Hashing;

/// <summary>A hash of AES rounds under secret round keys: a client cannot choose keys that collide.</summary>
/// <remarks>
/// Four rounds follow each block of 16 bytes, and three more the length, so there are seven between any input and the
/// result. No difference between two inputs survives four rounds with a probability above 2^-113, whatever the secret.
/// The last block is filled with zeros; the length distinguishes such inputs, and comes after the blocks, where no
/// block can cancel it.
///
/// Source: Daemen and Rijmen, "The Pelican MAC function" (2005), with secret round keys, and three rounds in place of
/// a whole AES at the end since no output is seen outside.
/// </remarks>
internal readonly struct AesHash
{
    /// <summary>Eight round keys.</summary>
    public const int SecretLength = 8 * BlockLength;

    private const int BlockLength = 16;

    private readonly Keys _keys;

    /// <param name="secret">Eight round keys of 16 bytes.</param>
    public AesHash(ReadOnlySpan<byte> secret) => _keys = MemoryMarshal.Read<Keys>(secret);

    /// <summary>Whether this processor has the instructions; a constant in compiled code.</summary>
    public static bool IsSupported => X86Aes.IsSupported || ArmAes.IsSupported;

    public static AesHash CreateRandom()
    {
        Span<byte> secret = stackalloc byte[SecretLength];
        RandomNumberGenerator.Fill(secret);
        return new AesHash(secret);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Ten instructions for a key of one block.
    public ulong Hash(ReadOnlySpan<byte> key)
    {
        var state = key.Length == BlockLength
            ? Absorb(_keys.Start, Vector128.Create(key))
            : AbsorbAny(key);
        state ^= Vector128.CreateScalar((ulong)key.Length).AsByte();
        state = Round(state, _keys.Last0);
        state = Round(state, _keys.Last1);
        return Round(state, _keys.Last2).AsUInt64().ToScalar();
    }

    // Not inlined: the hot path stays short, and its locals stay in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private Vector128<byte> AbsorbAny(ReadOnlySpan<byte> key)
    {
        var state = _keys.Start;
        for (; key.Length >= BlockLength; key = key[BlockLength..])
            state = Absorb(state, Vector128.Create(key));
        if (key.IsEmpty)
            return state;
        if (key.Length < sizeof(ulong))
            return Absorb(state, Vector128.CreateScalar(KeyTail.Read(key)).AsByte());
        ulong low = BinaryPrimitives.ReadUInt64LittleEndian(key);
        return Absorb(state, Vector128.Create(low, KeyTail.Read(key[sizeof(ulong)..])).AsByte());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The state stays in a register.
    private Vector128<byte> Absorb(Vector128<byte> state, Vector128<byte> block)
    {
        state = Round(state ^ block, _keys.Block0);
        state = Round(state, _keys.Block1);
        state = Round(state, _keys.Block2);
        return Round(state, _keys.Block3);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // One instruction.
    private static Vector128<byte> Round(Vector128<byte> state, Vector128<byte> key)
    {
        if (X86Aes.IsSupported)
            return X86Aes.Encrypt(state, key);
        // Arm's instruction adds its key before the round, not after it.
        return ArmAes.MixColumns(ArmAes.Encrypt(state, Vector128<byte>.Zero)) ^ key;
    }

    private readonly struct Keys
    {
#pragma warning disable CS0649 // Read as a whole from the secret.
        public readonly Vector128<byte> Start;
        public readonly Vector128<byte> Block0;
        public readonly Vector128<byte> Block1;
        public readonly Vector128<byte> Block2;
        public readonly Vector128<byte> Block3;
        public readonly Vector128<byte> Last0;
        public readonly Vector128<byte> Last1;
        public readonly Vector128<byte> Last2;
#pragma warning restore CS0649
    }
}
