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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong Hash(ReadOnlySpan<byte> key) => AesHash.IsSupported ? _aes.Hash(key) : _sip.Hash(key);
}
