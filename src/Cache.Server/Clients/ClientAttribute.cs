namespace Cache.Server.Clients;

/// <summary>A client's name, or another text that it gives of itself and that lists show unquoted.</summary>
internal static class ClientAttribute
{
    // A client could otherwise store megabytes in each of its connections' names.
    private const int BytesMax = 4096;

    public static ReadOnlySpan<byte> InvalidName =>
        "ERR Client names cannot contain spaces, newlines or special characters."u8;

    /// <summary>Whether the text is of visible ASCII characters only; an empty one is.</summary>
    public static bool IsValid(ReadOnlySpan<byte> text) =>
        text.Length <= BytesMax && !text.ContainsAnyExceptInRange((byte)'!', (byte)'~');
}
