using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>DEBUG: the subcommands that tests of clients use, if the server's settings allow them.</summary>
/// <remarks>
/// SLEEP delays only the client that sent it, with its reply and its later requests: a test of a client's time-outs
/// sees the same as with Redis, and other clients of the server are not affected.
/// </remarks>
internal static class DebugCommand
{
    private const string EnablingDirective = "enable-debug-command";

    // A day: no client waits longer.
    private const double SleepSecondsMax = 86_400;

    // Enough for any real name; a longer text cannot match.
    private const long MatchedLengthMax = 1 << 20;

    private static readonly string[] _help =
    [
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANGE-REPL-ID",
        "    Change the replication IDs of the instance.",
        "    Dangerous: should be used only for testing the replication subsystem.",
        "JMAP",
        "    Does nothing.",
        "OBJECT <key>",
        "    Show low level info about `key` and associated value.",
        "QUICKLIST-PACKED-THRESHOLD <size>",
        "    Does nothing.",
        "RELOAD [NOSAVE]",
        "    Save the store, empty it, and load it again; with NOSAVE load what the files have.",
        "SET-ACTIVE-EXPIRE <0|1>",
        "    Does nothing: keys always expire in background.",
        "SLEEP <seconds>",
        "    Delay the reply, and the client's next commands, for <seconds>. Decimals allowed.",
        "STRINGMATCH-LEN <length> <pattern>",
        "    Whether a pattern matches a string of that many times the letter a.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("debug", Debug),
    ];

    private static void Debug(in RespRequest request, CommandContext context)
    {
        if (!IsAllowed(context))
        {
            context.Reply.Error(
                "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you can run "u8
                + "it from a local connection, otherwise you need to set this option in the configuration file, and "u8
                + "then restart the server."u8);
            return;
        }

        if (!TryRun(request, context))
            ReplyUnknown(request[1], context.Reply);
    }

    private static bool IsAllowed(CommandContext context)
    {
        string text = context.Server.Settings.Kept.GetValueOrDefault(EnablingDirective, "no");
        return text.Equals("yes", StringComparison.OrdinalIgnoreCase)
            || (text.Equals("local", StringComparison.OrdinalIgnoreCase) && context.Client.EndPoints.IsLocal);
    }

    /// <returns>False if there is no such subcommand with this number of arguments.</returns>
    private static bool TryRun(in RespRequest request, CommandContext context)
    {
        var name = request[1];
        switch (request.Count)
        {
            case 2 when name.Is("HELP"u8):
                context.Reply.Help(_help);
                return true;
            case >= 2 when name.Is("RELOAD"u8):
                Reload(request, context);
                return true;
            case 2 when name.Is("JMAP"u8) || name.Is("CHANGE-REPL-ID"u8):
            case 3 when name.Is("SET-ACTIVE-EXPIRE"u8):
                context.Reply.Ok();
                return true;
            case 3 when name.Is("QUICKLIST-PACKED-THRESHOLD"u8):
                CheckThreshold(request[2], context.Reply);
                return true;
            case 3 when name.Is("SLEEP"u8):
                Sleep(request, context);
                return true;
            case 3 when name.Is("OBJECT"u8):
                DescribeObject(request[2], context);
                return true;
            case 4 when name.Is("STRINGMATCH-LEN"u8):
                Match(request[2], request[3], context);
                return true;
            default:
                return false;
        }
    }

    // Entries that are not in the files cannot be kept: NOFLUSH and MERGE are refused.
    private static void Reload(in RespRequest request, CommandContext context)
    {
        bool saves = true;
        for (int i = 2; i < request.Count; i++)
        {
            if (!request[i].Is("NOSAVE"u8))
            {
                context.Reply.Error("ERR DEBUG RELOAD only supports the NOSAVE option."u8);
                return;
            }

            saves = false;
        }

        if (context.Server.Durability is not { } durability)
        {
            context.Reply.Error("ERR this server keeps nothing on disk"u8);
            return;
        }

        if (context.TryGiveWay(long.MaxValue))
            return;
        if (context.Server.Databases.TryAlone(context, () => durability.TryReload(saves)))
            context.Reply.Ok();
        else
            context.Reply.Error("ERR Error trying to load the RDB dump, check server logs."u8);
    }

    // As C's strtod reads it: the number at its beginning, or 0.
    private static void Sleep(in RespRequest request, CommandContext context)
    {
        bool isNumber = double.TryParse(
            request[2].UpToNul(), NumberStyles.Float, CultureInfo.InvariantCulture, out double value);
        if (isNumber && value > 0)
        {
            var delay = TimeSpan.FromSeconds(Math.Min(value, SleepSecondsMax));
            context.Client.Delay(delay);
            NoteDelay(delay, request, context);
        }

        context.Reply.Ok();
    }

    // The call itself is over at once; but who tries with it whether slow commands are logged wants to see it.
    private static void NoteDelay(TimeSpan delay, in RespRequest request, CommandContext context)
    {
        long ticks = (long)(delay.TotalMicroseconds * context.Server.TicksPerMicrosecond);
        if (context.IsSlow(ticks) && context.Server.Commands.Find(request[0]) is { } command)
            SlowCalls.Note(command, RequestExcerpt.Of(command, request, context.LongArgument), ticks, context);
    }

    private static void CheckThreshold(ReadOnlySpan<byte> size, RespReplyWriter reply)
    {
        bool isSize = Settings.MemorySize.TryParse(Encoding.Latin1.GetString(size), out long bytes);
        if (isSize && bytes is >= 0 and < 1L << 32)
            reply.Ok();
        else
            reply.Error("ERR argument must be a memory value bigger than 1 and smaller than 4gb"u8);
    }

    private static void DescribeObject(ReadOnlySpan<byte> key, CommandContext context)
    {
        var encoding = ObjectEncoding.Of(key, context.Store, out long number, out int length);
        if (encoding.IsEmpty)
        {
            context.Reply.Error(ErrorTexts.NoSuchKey);
            return;
        }

        // A real address would reveal the layout of memory.
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"Value at:0x0 refcount:{ObjectEncoding.ReferencesOf(number)} encoding:{Encoding.ASCII.GetString(encoding)}"
            + $" serializedlength:{length} lru:0 lru_seconds_idle:0");
        context.Reply.SimpleString(Encoding.ASCII.GetBytes(text));
    }

    private static void Match(ReadOnlySpan<byte> length, ReadOnlySpan<byte> pattern, CommandContext context)
    {
        if (!RespInteger.TryParse(length, out long count) || count is < 0 or > MatchedLengthMax)
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
            return;
        }

        if (context.TryGiveWay(long.MaxValue))
            return;
        byte[] text = new byte[count];
        text.AsSpan().Fill((byte)'a');
        context.Reply.ZeroOrOne(new GlobPattern(pattern).IsMatch(text, out _));
    }

    private static void ReplyUnknown(ReadOnlySpan<byte> name, RespReplyWriter reply) => reply.Error(
        [.. "ERR unknown subcommand or wrong number of arguments for '"u8, .. name[..Math.Min(name.Length, 128)],
            .. "'. Try DEBUG HELP."u8]);
}
