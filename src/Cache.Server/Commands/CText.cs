namespace Cache.Server.Commands;

/// <summary>An argument as C's functions for strings see it, by which Redis words its errors.</summary>
internal static class CText
{
    /// <summary>The text before its first zero byte.</summary>
    public static ReadOnlySpan<byte> UpToNul(this ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)0);
        return end < 0 ? text : text[..end];
    }
}
