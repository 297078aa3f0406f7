using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The beginning of a request for logs, without secrets; as Redis keeps it.</summary>
internal static class RequestExcerpt
{
    // As in Redis: the arguments, and the bytes of each, that are kept.
    private const int ArgumentsMax = 32;
    private const int ArgumentBytesMax = 128;

    private static ReadOnlySpan<byte> Redacted => "(redacted)"u8;

    // CONFIG SET's parameters that are passwords.
    private static readonly string[] _secretParameters =
        ["requirepass", "masterauth", "masteruser", "tls-key-file-pass", "tls-client-key-file-pass"];

    /// <summary>The arguments of a request, at most 32 of at most 128 bytes each.</summary>
    public static byte[][] Of(CommandDefinition command, in RespRequest request)
    {
        bool isCut = request.Count > ArgumentsMax;
        byte[][] excerpt = new byte[Math.Min(request.Count, ArgumentsMax)][];
        for (int i = 0; i < excerpt.Length - (isCut ? 1 : 0); i++)
            excerpt[i] = IsSecret(command.Name, request, i) ? [.. Redacted] : Shorten(request[i]);
        if (isCut)
            excerpt[^1] = Encoding.ASCII.GetBytes($"... ({request.Count - ArgumentsMax + 1} more arguments)");
        return excerpt;
    }

    /// <summary>The first of a group of common requests, and how many others were executed with it.</summary>
    public static byte[][] OfGroup(CommandDefinition command, ReadOnlySpan<byte> key, int count)
    {
        byte[] name = Encoding.ASCII.GetBytes(command.Name);
        return count == 1
            ? [name, Shorten(key)]
            : [name, Shorten(key), Encoding.ASCII.GetBytes($"... ({count - 1} more requests of GET and SET)")];
    }

    private static byte[] Shorten(ReadOnlySpan<byte> argument)
    {
        if (argument.Length <= ArgumentBytesMax)
            return argument.ToArray();
        string rest = $"... ({argument.Length - ArgumentBytesMax} more bytes)";
        return [.. argument[..ArgumentBytesMax], .. Encoding.ASCII.GetBytes(rest)];
    }

    private static bool IsSecret(string command, in RespRequest request, int index) => command switch
    {
        "auth" => index >= 1,
        "hello" => IsOfAuth(request, index),
        "acl|setuser" => index >= 2,
        "config|set" => index >= 3 && index % 2 != 0 && IsSecretParameter(request[index - 1]),
        _ => false,
    };

    // HELLO version AUTH name password
    private static bool IsOfAuth(in RespRequest request, int index) =>
        (index >= 3 && request[index - 1].Is("AUTH"u8)) || (index >= 4 && request[index - 2].Is("AUTH"u8));

    private static bool IsSecretParameter(ReadOnlySpan<byte> name)
    {
        foreach (string secret in _secretParameters)
        {
            if (Ascii.EqualsIgnoreCase(name, secret))
                return true;
        }

        return false;
    }
}
