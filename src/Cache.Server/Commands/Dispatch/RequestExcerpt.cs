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
    private const int ArgumentBytesMax = LongArgument.BeginningLength;

    /// <summary>What stands for a secret.</summary>
    public static ReadOnlySpan<byte> Redacted => "(redacted)"u8;

    // CONFIG SET's parameters that are passwords.
    private static readonly string[] _secretParameters =
        ["requirepass", "masterauth", "masteruser", "tls-key-file-pass", "tls-client-key-file-pass"];

    /// <summary>The arguments of a request, at most 32 of at most 128 bytes each.</summary>
    /// <param name="command">The command.</param>
    /// <param name="request">The request, which may have been executed.</param>
    /// <param name="elsewhere">Its argument in memory of its own: the store may have freed that.</param>
    public static byte[][] Of(CommandDefinition command, in RespRequest request, LongArgument? elsewhere)
    {
        bool isCut = request.Count > ArgumentsMax;
        byte[][] excerpt = new byte[Math.Min(request.Count, ArgumentsMax)][];
        for (int i = 0; i < excerpt.Length - (isCut ? 1 : 0); i++)
            excerpt[i] = ExcerptOf(command.Name, request, i, elsewhere);
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

    /// <summary>A common SET that was executed alone.</summary>
    public static byte[][] OfSet(CommandDefinition set, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        [Encoding.ASCII.GetBytes(set.Name), Shorten(key), Shorten(value)];

    private static byte[] ExcerptOf(string command, in RespRequest request, int index, LongArgument? elsewhere)
    {
        if (IsSecret(command, request, index))
            return [.. Redacted];
        return elsewhere is not null && request.IsElsewhere(index)
            ? Shorten(elsewhere.Beginning, elsewhere.Length)
            : Shorten(request[index]);
    }

    private static byte[] Shorten(ReadOnlySpan<byte> argument) => Shorten(argument, argument.Length);

    private static byte[] Shorten(ReadOnlySpan<byte> beginning, int length)
    {
        if (length <= ArgumentBytesMax)
            return beginning.ToArray();
        string rest = $"... ({length - ArgumentBytesMax} more bytes)";
        return [.. beginning[..ArgumentBytesMax], .. Encoding.ASCII.GetBytes(rest)];
    }

    /// <summary>Whether an argument is a password, or may be one.</summary>
    public static bool IsSecret(CommandDefinition command, in RespRequest request, int index) =>
        IsSecret(command.Name, request, index);

    /// <summary>What is kept of an argument in memory of its own.</summary>
    public static byte[] BeginningOf(LongArgument argument) => Shorten(argument.Beginning, argument.Length);

    private static bool IsSecret(string command, in RespRequest request, int index) => command switch
    {
        "auth" => index >= 1,
        "hello" => IsOfAuth(request, index),
        "migrate" => index > 5 && (IsOfAuth(request, index) || IsOfAuth2(request, index)),
        "acl|setuser" => index >= 2,
        "config|set" => index >= 3 && index % 2 != 0 && IsSecretParameter(request[index - 1]),
        _ => false,
    };

    // HELLO version AUTH name password; also where the version was forgotten, which is refused.
    private static bool IsOfAuth(in RespRequest request, int index) =>
        (index >= 2 && request[index - 1].Is("AUTH"u8)) || (index >= 3 && request[index - 2].Is("AUTH"u8));

    // MIGRATE ... AUTH2 name password
    private static bool IsOfAuth2(in RespRequest request, int index) =>
        request[index - 1].Is("AUTH2"u8) || request[index - 2].Is("AUTH2"u8);

    /// <summary>Whether a parameter of CONFIG is a password.</summary>
    public static bool IsSecretParameter(ReadOnlySpan<byte> name)
    {
        foreach (string secret in _secretParameters)
        {
            if (Ascii.EqualsIgnoreCase(name, secret))
                return true;
        }

        return false;
    }
}
