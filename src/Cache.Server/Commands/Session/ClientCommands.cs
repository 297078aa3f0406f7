using System.Globalization;
using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>CLIENT, except KILL, LIST and UNBLOCK.</summary>
internal static class ClientCommands
{
    private static readonly string[] _help =
    [
        "CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CACHING (YES|NO)",
        "    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes.",
        "GETREDIR",
        "    Return the client ID we are redirecting to when tracking is enabled.",
        "GETNAME",
        "    Return the name of the current connection.",
        "ID",
        "    Return the ID of the current connection.",
        "INFO",
        "    Return information about the current client connection.",
        "KILL <ip:port>",
        "    Kill connection made from <ip:port>.",
        "KILL <option> <value> [<option> <value> [...]]",
        "    Kill connections. Options are:",
        "    * ADDR (<ip:port>|<unixsocket>:0)",
        "      Kill connections made from the specified address",
        "    * LADDR (<ip:port>|<unixsocket>:0)",
        "      Kill connections made to specified local address",
        "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)",
        "      Kill connections by type.",
        "    * USER <username>",
        "      Kill connections authenticated by <username>.",
        "    * SKIPME (YES|NO)",
        "      Skip killing current connection (default: yes).",
        "LIST [options ...]",
        "    Return information about client connections. Options:",
        "    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)",
        "      Return clients of specified type.",
        "LIST <option> <value> [<option> <value> [...]]",
        "    Return clients that match all options: IDLE <seconds>, ADDR, LADDR, USER, TYPE, SKIPME.",
        "NO-EVICT (ON|OFF)",
        "    Protect current client connection from eviction.",
        "NO-TOUCH (ON|OFF)",
        "    Will not touch LRU/LFU stats when this mode is on.",
        "PAUSE <timeout> [WRITE|ALL]",
        "    Suspend all, or just write, clients for <timeout> milliseconds.",
        "REPLY (ON|OFF|SKIP)",
        "    Control the replies sent to the current connection.",
        "SETINFO <option> <value>",
        "    Set client meta attr. Options are:",
        "    * LIB-NAME: the client lib name.",
        "    * LIB-VER: the client lib version.",
        "SETNAME <name>",
        "    Assign the name <name> to the current connection.",
        "UNPAUSE",
        "    Stop the current client pause, resuming traffic.",
        "UNBLOCK <clientid> [TIMEOUT|ERROR]",
        "    Unblock the specified blocked client.",
        "TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]",
        "         [OPTIN] [OPTOUT] [NOLOOP]",
        "    Control server assisted client side caching.",
        "TRACKINGINFO",
        "    Report tracking status for the current connection.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("client|id", Id),
        new("client|getname", GetName),
        new("client|setname", SetName),
        new("client|setinfo", SetInfo),
        new("client|info", Info),
        new("client|no-evict", NoEvict),
        new("client|no-touch", NoTouch),
        new("client|reply", Reply),
        new("client|help", Help),
    ];

    private static void Id(in RespRequest request, CommandContext context) => context.Reply.Integer(context.Client.Id);

    private static void GetName(in RespRequest request, CommandContext context)
    {
        if (context.Client.Name.Length == 0)
            context.Reply.Null();
        else
            context.Reply.Bulk(context.Client.Name);
    }

    private static void SetName(in RespRequest request, CommandContext context)
    {
        if (!ClientAttribute.IsValid(request[2]))
        {
            context.Reply.Error(ClientAttribute.InvalidName);
            return;
        }

        context.Client.Name = request[2].ToArray();
        context.Reply.Ok();
    }

    private static void SetInfo(in RespRequest request, CommandContext context)
    {
        bool isName = request[2].Is("LIB-NAME"u8);
        if (!isName && !request[2].Is("LIB-VER"u8))
        {
            context.Reply.Error([.. "ERR Unrecognized option '"u8, .. request[2].UpToNul(), .. "'"u8]);
        }
        else if (!ClientAttribute.IsValid(request[3]))
        {
            context.Reply.Error(isName
                ? "ERR lib-name cannot contain spaces, newlines or special characters."u8
                : "ERR lib-ver cannot contain spaces, newlines or special characters."u8);
        }
        else
        {
            byte[] value = request[3].ToArray();
            if (isName)
                context.Client.LibraryName = value;
            else
                context.Client.LibraryVersion = value;
            context.Reply.Ok();
        }
    }

    private static void Info(in RespRequest request, CommandContext context)
    {
        var text = new StringBuilder();
        ClientDescription.Append(text, context.Client, context.Server.NowMs);
        context.Reply.VerbatimText(Encoding.Latin1.GetBytes(text.ToString()));
    }

    private static void NoEvict(in RespRequest request, CommandContext context)
    {
        if (TryReadSwitch(request[2], context.Reply, out bool isOn))
            context.Client.IsProtectedFromEviction = isOn;
    }

    private static void NoTouch(in RespRequest request, CommandContext context)
    {
        if (TryReadSwitch(request[2], context.Reply, out bool isOn))
            context.Client.IsNoTouch = isOn;
    }

    private static void Reply(in RespRequest request, CommandContext context)
    {
        if (request[2].Is("ON"u8))
        {
            context.SetReplyMode(ReplyMode.Normal);
            context.Reply.Ok();
        }
        else if (request[2].Is("OFF"u8))
        {
            context.SetReplyMode(ReplyMode.Off);
        }
        else if (!request[2].Is("SKIP"u8))
        {
            context.Reply.Error(ErrorTexts.Syntax);
        }
        else if (context.ReplyMode != ReplyMode.Off)
        {
            context.SetReplyMode(ReplyMode.SkipNext);
        }
    }

    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);

    private static bool TryReadSwitch(ReadOnlySpan<byte> text, RespReplyWriter reply, out bool isOn)
    {
        isOn = text.Is("ON"u8);
        if (!isOn && !text.Is("OFF"u8))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        reply.Ok();
        return true;
    }
}
