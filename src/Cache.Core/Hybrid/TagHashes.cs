using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Cache.Core.Hybrid;

/// <summary>Tags as numbers: 64 bits of a hash that resists collisions, accidental and deliberate.</summary>
internal static class TagHashes
{
    /// <summary>The tag that every value has implicitly, and that no call may give.</summary>
    public const string Everything = "*";

    /// <summary>The most tags of a value: each read of it looks up each tag.</summary>
    public const int CountMax = 1024;

    /// <exception cref="ArgumentException">A tag is null, blank or reserved, or there are too many.</exception>
    public static ulong[] Of(IEnumerable<string>? tags)
    {
        if (tags is null or ICollection<string> { Count: 0 })
            return [];
        var hashes = new List<ulong>();
        foreach (string tag in tags)
        {
            if (tag == Everything)
                throw new ArgumentException("The tag '*' stands for all values; none can be given it.", nameof(tags));
            ulong hash = Of(tag);
            if (!hashes.Contains(hash))
                hashes.Add(hash);
        }

        return hashes.Count <= CountMax
            ? [.. hashes]
            : throw new ArgumentException(
                $"There are {hashes.Count} tags; a value has at most {CountMax}.", nameof(tags));
    }

    /// <exception cref="ArgumentException">The tag is null or blank.</exception>
    public static ulong Of(string tag)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(tag);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes(tag), hash);
        return BinaryPrimitives.ReadUInt64LittleEndian(hash);
    }
}
