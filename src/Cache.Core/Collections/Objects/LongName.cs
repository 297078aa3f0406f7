using System.Buffers.Binary;
using System.Diagnostics;
using System.Security.Cryptography;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Names too long for the pages of trees: they lie in blocks, and trees have digests of them.</summary>
/// <remarks>
/// A tree by hashes is ordered by digest, which readers compare without looking at a block. It is one of 256 bits under
/// a secret of the process, so that nobody finds two names with one digest, or knows a short name that is one.
/// </remarks>
internal static class LongName
{
    /// <summary>The bytes of a digest.</summary>
    public const int DigestSize = 32;

    private static readonly byte[] _secret = RandomNumberGenerator.GetBytes(DigestSize);

    /// <summary>Whether a name is one.</summary>
    public static bool Is(ReadOnlySpan<byte> name) => name.Length > ElementSizes.NameLengthMax;

    /// <summary>What a tree by hashes has in its place.</summary>
    public static void Digest(ReadOnlySpan<byte> name, Span<byte> digest)
    {
        Debug.Assert(Is(name));
        HMACSHA256.HashData(_secret, name, digest);
    }

    /// <summary>The name in a block, which has the element as files have it; the caller has a reference.</summary>
    public static ReadOnlySpan<byte> NameOf(LargeBlock block)
    {
        ReadOnlySpan<byte> element = block.Value[ElementReader.PrefixSize..];
        return element.Slice(ElementReader.HeaderSize, BinaryPrimitives.ReadInt32LittleEndian(element[1..]));
    }
}
