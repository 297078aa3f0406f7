using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;

namespace Cache.Server.Scripts;

/// <summary>The SHA-1 of a script, which names it.</summary>
internal readonly record struct ScriptDigest(UInt128 High, uint Low)
{
    /// <summary>The length of its name in hexadecimal digits.</summary>
    public const int NameLength = 40;

    private const int Bytes = 20;

    /// <summary>Its name, in small letters.</summary>
    public override string ToString() => $"{High:x32}{Low:x8}";

    /// <summary>The digest of a text.</summary>
    [SuppressMessage("Security", "CA5350", Justification = "The protocol's name of a script, not a protection.")]
    public static ScriptDigest Of(ReadOnlySpan<byte> text)
    {
        var hash = default(Hash);
        SHA1.HashData(text, hash);
        return From(hash);
    }

    /// <summary>Reads a name, in any case of letters.</summary>
    public static bool TryParse(ReadOnlySpan<byte> name, out ScriptDigest digest)
    {
        digest = default;
        var hash = default(Hash);
        if (name.Length != NameLength || Convert.FromHexString(name, hash, out _, out _) != default)
            return false;
        digest = From(hash);
        return true;
    }

    private static ScriptDigest From(ReadOnlySpan<byte> hash) => new(
        System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(hash),
        System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(hash[16..]));

    [InlineArray(Bytes)]
    private struct Hash
    {
        private byte _first;
    }
}
