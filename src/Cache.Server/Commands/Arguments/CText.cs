namespace Cache.Server.Commands.Arguments;

/// <summary>An argument as C's string functions see it, for Redis's error texts.</summary>
internal static class CText
{
    // The longest part of an argument in an error: an argument may have hundreds of megabytes.
    private const int ShownBytesMax = 16 * 1024;

    /// <summary>The text before its first zero byte, for an error; only its beginning if it is very long.</summary>
    public static ReadOnlySpan<byte> UpToNul(this ReadOnlySpan<byte> text)
    {
        text = text[..Math.Min(text.Length, ShownBytesMax)];
        int end = text.IndexOf((byte)0);
        return end < 0 ? text : text[..end];
    }
}
