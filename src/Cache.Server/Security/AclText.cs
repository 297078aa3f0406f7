using System.Buffers;
using System.Security.Cryptography;
using System.Text;
using Cache.Server.Settings;

namespace Cache.Server.Security;

/// <summary>Helper functions for the texts of ACL rules; a char is a byte.</summary>
internal static class AclText
{
    private const int HashCharacters = 2 * SHA256.HashSizeInBytes;

    private static readonly SearchValues<char> _hexadecimal = SearchValues.Create("0123456789abcdef");

    /// <summary>Whether a text has a character that would split it in a file of users.</summary>
    public static bool HasSpaceOrNul(string text) =>
        text.AsSpan().ContainsAny(' ', '\0') || text.AsSpan().ContainsAnyInRange('\t', '\r');

    /// <summary>The bytes of an option's text.</summary>
    public static string FromOption(string text) => OptionText.ToLatin1(text);

    /// <summary>The SHA-256 of a password in lower-case hexadecimal.</summary>
    public static string Hash(ReadOnlySpan<byte> password)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(password, digest);
        return Convert.ToHexStringLower(digest);
    }

    public static string Hash(string password) => Hash(Encoding.Latin1.GetBytes(password));

    public static bool IsHash(string text) =>
        text.Length == HashCharacters && !text.AsSpan().ContainsAnyExcept(_hexadecimal);
}
