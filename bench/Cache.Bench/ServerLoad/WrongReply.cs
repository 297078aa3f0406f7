using System.Text;

namespace Cache.Bench.ServerLoad;

/// <summary>Tells the user what was asked and what came instead of an answer.</summary>
internal static class WrongReply
{
    // An error's text, or enough of a value to recognise it.
    private const int BytesShown = 120;

    /// <param name="id">The key's id, as its complement for a SET.</param>
    /// <param name="kind">What the reply was taken for.</param>
    /// <param name="reply">The reply, from its first byte on.</param>
    public static string Describe(long id, ReplyKind kind, ReadOnlySpan<byte> reply)
    {
        string request = id < 0 ? $"SET of key {~id}" : $"GET of key {id}";
        if (kind == ReplyKind.Miss)
            return $"{request}: there is no such key.";
        var shown = new StringBuilder($"{request} was answered: ");
        foreach (byte character in reply[..Math.Min(reply.Length, BytesShown)])
            shown.Append(character is >= 0x20 and < 0x7F ? $"{(char)character}" : $"\\x{character:x2}");
        return shown.ToString();
    }
}
