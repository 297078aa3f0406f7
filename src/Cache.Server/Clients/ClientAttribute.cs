namespace Cache.Server.Clients;

/// <summary>A client's name, or another text that a client sets and that lists show unquoted.</summary>
internal static class ClientAttribute
{
    // Without a bound a client could store megabytes in the name of each connection.
    private const int BytesMax = 4096;

    public static ReadOnlySpan<byte> InvalidName =>
        "ERR Client names cannot contain spaces, newlines or special characters."u8;

    /// <summary>Whether the text has only visible ASCII characters; true for an empty text.</summary>
    public static bool IsValid(ReadOnlySpan<byte> text) =>
        text.Length <= BytesMax && !text.ContainsAnyExceptInRange((byte)'!', (byte)'~');
}
