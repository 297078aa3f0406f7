namespace Cache.Server.Commands.Arguments;

/// <summary>An argument as C's functions for strings see it, by which Redis words its errors.</summary>
internal static class CText
{
    // No more of an argument is shown in an error: it may be hundreds of megabytes, which the reply would hold again.
    private const int ShownBytesMax = 16 * 1024;

    /// <summary>The text before its first zero byte, for an error; only its beginning if it is very long.</summary>
    public static ReadOnlySpan<byte> UpToNul(this ReadOnlySpan<byte> text)
    {
        text = text[..Math.Min(text.Length, ShownBytesMax)];
        int end = text.IndexOf((byte)0);
        return end < 0 ? text : text[..end];
    }
}
