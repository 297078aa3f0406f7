using System.Security.Cryptography;

namespace Cache.Server.Commands;

/// <summary>The one user that there is, with the password of the settings.</summary>
internal static class DefaultUser
{
    public static ReadOnlySpan<byte> Name => "default"u8;

    /// <summary>The error reply to a wrong name or password, which does not tell which.</summary>
    public static ReadOnlySpan<byte> WrongPass => "WRONGPASS invalid username-password pair or user is disabled."u8;

    /// <summary>Makes the client an authenticated one if the name and the password are right.</summary>
    /// <remarks>While no password is required, any is right.</remarks>
    public static bool TryAuthenticate(CommandContext context, ReadOnlySpan<byte> name, ReadOnlySpan<byte> password)
    {
        byte[] expected = context.Server.Settings.RequirePass;
        if (!name.SequenceEqual(Name) || (expected.Length > 0 && !IsSame(expected, password)))
            return false;
        context.Client.IsAuthenticated = true;
        return true;
    }

    // Of the digests, so that the time tells nothing of the length either.
    private static bool IsSame(ReadOnlySpan<byte> expected, ReadOnlySpan<byte> given)
    {
        Span<byte> digests = stackalloc byte[2 * SHA256.HashSizeInBytes];
        SHA256.HashData(expected, digests);
        SHA256.HashData(given, digests[SHA256.HashSizeInBytes..]);
        return CryptographicOperations.FixedTimeEquals(
            digests[..SHA256.HashSizeInBytes], digests[SHA256.HashSizeInBytes..]);
    }
}
