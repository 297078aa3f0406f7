using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Security;

namespace Cache.Server.Commands.Administration;

/// <summary>
/// ACL, except for the subcommands that show and change single users. Text is Latin-1, so that a char is a byte.
/// </summary>
internal static class AclCommands
{
    private const int PasswordBitsDefault = 256;
    private const int PasswordBitsMax = 4096;
    private const int BitsPerCharacter = 4;
    private const int LogCountDefault = 10;

    private static readonly string[] _help =
    [
        "ACL <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CAT [<category>]",
        "    List all commands that belong to <category>, or all command categories",
        "    when no category is specified.",
        "DELUSER <username> [<username> ...]",
        "    Delete a list of users.",
        "DRYRUN <username> <command> [<arg> ...]",
        "    Returns whether the user can execute the given command without executing the command.",
        "GETUSER <username>",
        "    Get the user's details.",
        "GENPASS [<bits>]",
        "    Generate a secure 256-bit user password. The optional `bits` argument can",
        "    be used to specify a different size.",
        "LIST",
        "    Show users details in config file format.",
        "LOAD",
        "    Reload users from the ACL file.",
        "LOG [<count> | RESET]",
        "    Show the ACL log entries.",
        "SAVE",
        "    Save the current config to the ACL file.",
        "SETUSER <username> <attribute> [<attribute> ...]",
        "    Create or modify a user with the specified attributes.",
        "USERS",
        "    List all the registered usernames.",
        "WHOAMI",
        "    Return the current connection username.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("acl|cat", Categories),
        new("acl|dryrun", DryRun),
        new("acl|genpass", GeneratePassword),
        new("acl|help", Help),
        new("acl|load", Load),
        new("acl|log", Log),
        new("acl|save", Save),
        new("acl|whoami", WhoAmI),
    ];

    private static ReadOnlySpan<byte> NoFile =>
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the "u8
        + "ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) "u8
        + "in order to store users in the Redis configuration."u8;

    private static void WhoAmI(in RespRequest request, CommandContext context) =>
        context.Reply.Bulk(Encoding.Latin1.GetBytes(context.Client.User.Name));

    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);

    // ACL CAT [category]
    private static void Categories(in RespRequest request, CommandContext context)
    {
        if (request.Count > 3)
        {
            AclUserCommands.WrongSubcommand(request, context.Reply);
            return;
        }

        IReadOnlyList<string> names = AclCategories.Names;
        if (request.Count == 3)
        {
            uint category = AclCategories.Find(request[2]);
            if (category == 0)
            {
                context.Reply.Error([.. "ERR Unknown category '"u8, .. request[2].UpToNul(), .. "'"u8]);
                return;
            }

            names = AclCommandTable.Default.FindNames(category);
        }

        context.Reply.ArrayHeader(names.Count);
        foreach (string name in names)
            context.Reply.Bulk(Encoding.Latin1.GetBytes(name));
    }

    // ACL GENPASS [bits]
    private static void GeneratePassword(in RespRequest request, CommandContext context)
    {
        long bits = PasswordBitsDefault;
        if (request.Count > 3)
        {
            AclUserCommands.WrongSubcommand(request, context.Reply);
        }
        else if (request.Count == 3 && !RespInteger.TryParse(request[2], out bits))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
        }
        else if (bits is <= 0 or > PasswordBitsMax)
        {
            context.Reply.Error(
                "ERR ACL GENPASS argument must be the number of bits for the output password, "u8
                + "a positive number up to 4096"u8);
        }
        else
        {
            int length = (int)(bits + BitsPerCharacter - 1) / BitsPerCharacter;
            context.Reply.Bulk(Encoding.ASCII.GetBytes(RandomNumberGenerator.GetHexString(length, lowercase: true)));
        }
    }

    // ACL DRYRUN username command [arg ...]
    private static void DryRun(in RespRequest request, CommandContext context)
    {
        const int Start = 3;
        var reply = context.Reply;
        if (context.Server.Users.Find(request[2]) is not { } user)
        {
            reply.Error([.. "ERR User '"u8, .. request[2].UpToNul(), .. "' not found"u8]);
            return;
        }

        var command = context.Server.Commands.Find(request[Start]);
        if (command?.Subcommands is { } subcommands && request.Count > Start + 1)
            command = subcommands.Find(request[Start + 1]);
        if (command is null)
        {
            reply.Error([.. "ERR Command '"u8, .. request[Start].UpToNul(), .. "' not found"u8]);
            return;
        }

        if (!command.Accepts(request.Count - Start))
        {
            reply.Error(command.ArityError);
            return;
        }

        switch (user.Rules.Check(command, request, Start, out int argument))
        {
            case AclDenial.None:
                reply.Ok();
                break;
            case AclDenial.Command:
                reply.Bulk([
                    .. "This user has no permissions to run the '"u8, .. command.NameBytes, .. "' command"u8]);
                break;
            case AclDenial.Channel:
                reply.Bulk([
                    .. "This user has no permissions to access the '"u8, .. request[argument].UpToNul(),
                    .. "' channel"u8]);
                break;
            default:
                reply.Bulk([
                    .. "This user has no permissions to access the '"u8, .. request[argument].UpToNul(),
                    .. "' key"u8]);
                break;
        }
    }

    // ACL LOG [count | RESET]
    private static void Log(in RespRequest request, CommandContext context)
    {
        long count = LogCountDefault;
        if (request.Count > 3)
        {
            AclUserCommands.WrongSubcommand(request, context.Reply);
        }
        else if (request.Count == 3 && request[2].Is("RESET"u8))
        {
            context.Server.AclLog.Clear();
            context.Reply.Ok();
        }
        else if (request.Count == 3 && !RespInteger.TryParse(request[2], out count))
        {
            context.Reply.Error(ErrorTexts.NotAnInteger);
        }
        else
        {
            var entries = context.Server.AclLog.GetLast(count);
            context.Reply.ArrayHeader(entries.Count);
            foreach (var entry in entries)
                Write(entry, context);
        }
    }

    private static void Write(AclLogEntry entry, CommandContext context)
    {
        var reply = context.Reply;
        reply.MapHeader(7);
        reply.Bulk("count"u8);
        reply.Integer(entry.Count);
        reply.Bulk("reason"u8);
        reply.Bulk(entry.Denial switch
        {
            AclDenial.Command => "command"u8,
            AclDenial.Key => "key"u8,
            AclDenial.Channel => "channel"u8,
            AclDenial.Certificate => "tls-cert"u8,
            _ => "auth"u8,
        });
        reply.Bulk("context"u8);
        reply.Bulk(entry.Place switch
        {
            AclLogPlace.Transaction => "multi"u8,
            AclLogPlace.Script => "lua"u8,
            _ => "toplevel"u8,
        });
        reply.Bulk("object"u8);
        reply.Bulk(Encoding.Latin1.GetBytes(entry.Object));
        reply.Bulk("username"u8);
        reply.Bulk(Encoding.Latin1.GetBytes(entry.UserName));
        reply.Bulk("age-seconds"u8);
        reply.Double((context.Server.NowMs - entry.AtMs) / 1000.0);
        reply.Bulk("client-info"u8);
        reply.Bulk(Encoding.Latin1.GetBytes(entry.Client));
    }

    private static void Load(in RespRequest request, CommandContext context)
    {
        string path = context.Server.Settings.AclFile;
        if (path.Length == 0)
        {
            context.Reply.Error(NoFile);
            return;
        }

        try
        {
            var former = context.Server.Users.ReplaceAll(AclFile.Read(path, context.Server.Users.GivesAllChannels));
            context.Server.Clients.Disconnect(former, context.Client);
            context.Server.EndUnentitled(context.Server.Users.Default, context.Client);
            context.Reply.Ok();
        }
        catch (AclFileException e)
        {
            context.Reply.Error(Encoding.Latin1.GetBytes("ERR " + e.Message));
        }
    }

    private static void Save(in RespRequest request, CommandContext context)
    {
        string path = context.Server.Settings.AclFile;
        if (path.Length == 0)
        {
            context.Reply.Error(NoFile);
            return;
        }

        try
        {
            AclFile.Write(path, context.Server.Users);
            context.Reply.Ok();
        }
        catch (AclFileException)
        {
            context.Reply.Error(
                "ERR There was an error trying to save the ACLs. Please check the server logs for more information"u8);
        }
    }
}
