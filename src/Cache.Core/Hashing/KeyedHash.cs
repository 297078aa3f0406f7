using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Cache.Core.Hashing;

/// <summary>The store's hash under a secret of its own: by AES rounds where the processor has them.</summary>
internal readonly struct KeyedHash
{
    private readonly AesHash _aes;
    private readonly SipHash13 _sip;

    private KeyedHash(AesHash aes, SipHash13 sip)
    {
        _aes = aes;
        _sip = sip;
    }

    public static KeyedHash CreateRandom() => AesHash.IsSupported
        ? new KeyedHash(AesHash.CreateRandom(), default)
        : new KeyedHash(default, SipHash13.CreateRandom());

    /// <summary>With a given secret of <see cref="AesHash.SecretLength"/> bytes: for repeatable tests.</summary>
    public static KeyedHash Create(ReadOnlySpan<byte> secret) => AesHash.IsSupported
        ? new KeyedHash(new AesHash(secret), default)
        : new KeyedHash(default, new SipHash13(
            BinaryPrimitives.ReadUInt64LittleEndian(secret), BinaryPrimitives.ReadUInt64LittleEndian(secret[8..])));

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Which branch is a constant once the method is compiled.
    public ulong Hash(ReadOnlySpan<byte> key) => AesHash.IsSupported ? _aes.Hash(key) : _sip.Hash(key);
}
