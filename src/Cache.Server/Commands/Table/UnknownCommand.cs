using System.Buffers;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>The error text for a request whose command does not exist.</summary>
internal static class UnknownCommand
{
    // As in Redis: the most bytes shown of the name, and of all arguments.
    private const int PreviewBytesMax = 128;

    /// <summary>
    /// Whether a name begins an HTTP request. A web page may have made a browser send commands to this port in the
    /// lines that follow, so the connection ends without a reply, as in Redis.
    /// </summary>
    public static bool IsOfHttp(ReadOnlySpan<byte> name) =>
        Ascii.EqualsIgnoreCase(name, "POST"u8) || Ascii.EqualsIgnoreCase(name, "Host:"u8);

    /// <summary>The text, which quotes the request; the sender replaces CR and LF.</summary>
    public static byte[] Describe(in RespRequest request, CommandTable commands)
    {
        var text = new ArrayBufferWriter<byte>(512);
        if (commands.Find(request[0])?.Subcommands is not null)
            DescribeSubcommand(request, text);
        else
            DescribeCommand(request, text);
        return text.WrittenSpan.ToArray();
    }

    private static void DescribeSubcommand(in RespRequest request, ArrayBufferWriter<byte> text)
    {
        text.Write("ERR unknown subcommand '"u8);
        text.Write(Preview(request[1], PreviewBytesMax));
        text.Write("'. Try "u8);
        foreach (byte letter in request[0])
            text.Write([letter is >= (byte)'a' and <= (byte)'z' ? (byte)(letter - 32) : letter]);
        text.Write(" HELP."u8);
    }

    private static void DescribeCommand(in RespRequest request, ArrayBufferWriter<byte> text)
    {
        text.Write("ERR unknown command '"u8);
        text.Write(Preview(request[0], PreviewBytesMax));
        text.Write("', with args beginning with: "u8);
        int start = text.WrittenCount;
        for (int i = 1; i < request.Count && text.WrittenCount - start < PreviewBytesMax; i++)
        {
            text.Write("'"u8);
            text.Write(Preview(request[i], PreviewBytesMax - (text.WrittenCount - 1 - start)));
            text.Write("' "u8);
        }
    }

    // As C's %.*s: at most this many bytes, up to the first zero.
    private static ReadOnlySpan<byte> Preview(ReadOnlySpan<byte> text, int bytesMax) =>
        text[..Math.Min(text.Length, bytesMax)].UpToNul();
}
