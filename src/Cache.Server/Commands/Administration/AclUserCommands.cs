using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Security;

namespace Cache.Server.Commands.Administration;

/// <summary>ACL SETUSER, GETUSER, DELUSER, LIST and USERS. Text is Latin-1, so that a char is a byte.</summary>
internal static class AclUserCommands
{
    // Names and rules become texts that stay. Redis has no bound; real rules are far shorter.
    private const int NameBytesMax = 64 * 1024;
    private const int RuleBytesMax = 1 << 20;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("acl|deluser", Delete),
        new("acl|getuser", Get),
        new("acl|list", List),
        new("acl|setuser", Set),
        new("acl|users", Users),
    ];

    /// <summary>The error of a subcommand with wrong arguments that its arity allows.</summary>
    public static void WrongSubcommand(in RespRequest request, RespReplyWriter reply) => reply.Error([
        .. "ERR unknown subcommand or wrong number of arguments for '"u8, .. request[1].UpToNul(),
        .. "'. Try ACL HELP."u8]);

    // ACL SETUSER username [rule ...]
    private static void Set(in RespRequest request, CommandContext context)
    {
        if (request[2].Length > NameBytesMax)
        {
            context.Reply.Error("ERR The username is too long, the limit is 65536 bytes"u8);
            return;
        }

        if (!IsWithinBound(request))
        {
            context.Reply.Error("ERR The ACL rules are too long, the limit is 1048576 bytes"u8);
            return;
        }

        string name = Encoding.Latin1.GetString(request[2]);
        if (AclText.HasSpaceOrNul(name))
        {
            context.Reply.Error("ERR Usernames can't contain spaces or null characters"u8);
            return;
        }

        var words = new List<string>();
        for (int i = 3; i < request.Count; i++)
            words.Add(Encoding.Latin1.GetString(request[i]));
        var rules = AclSplitter.MergeSelectors(words, out string? unmatched);
        if (unmatched is not null)
            Refuse(context.Reply, $"ERR Unmatched parenthesis in acl selector starting at '{unmatched}'.");
        else if (context.Server.Users.Set(name, rules) is { } error)
            Refuse(context.Reply, $"ERR Error in ACL SETUSER modifier '{error.Rule}': {error.Problem}");
        else
            Confirm(name, context);
    }

    private static void Confirm(string name, CommandContext context)
    {
        if (context.Server.Users.Find(name) is { } user)
            context.Server.EndUnentitled(user, context.Client);
        context.Reply.Ok();
    }

    private static bool IsWithinBound(in RespRequest request)
    {
        long bytes = 0;
        for (int i = 3; i < request.Count; i++)
            bytes += request[i].Length;
        return bytes <= RuleBytesMax;
    }

    // ACL DELUSER username [username ...]
    private static void Delete(in RespRequest request, CommandContext context)
    {
        for (int i = 2; i < request.Count; i++)
        {
            if (!request[i].SequenceEqual("default"u8))
                continue;
            context.Reply.Error("ERR The 'default' user cannot be removed"u8);
            return;
        }

        var removed = new List<AclUser>();
        for (int i = 2; i < request.Count; i++)
        {
            var users = context.Server.Users;
            if (users.Find(request[i]) is { } named && users.Remove(named.Name) is { } user)
                removed.Add(user);
        }

        context.Reply.Integer(removed.Count);
        context.Server.Clients.Disconnect(removed, context.Client);
    }

    // ACL GETUSER username
    private static void Get(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (context.Server.Users.Find(request[2]) is not { } user)
        {
            reply.Null();
            return;
        }

        var rules = user.Rules;
        string[] flags = [.. rules.GetFlags()];
        reply.MapHeader(6);
        reply.Bulk("flags"u8);
        reply.SetHeader(flags.Length);
        foreach (string flag in flags)
            Write(reply, flag);
        reply.Bulk("passwords"u8);
        reply.ArrayHeader(rules.Passwords.Count);
        foreach (string hash in rules.Passwords)
            Write(reply, hash);
        Write(reply, rules.Selectors[0]);
        reply.Bulk("selectors"u8);
        reply.ArrayHeader(rules.Selectors.Count - 1);
        for (int i = 1; i < rules.Selectors.Count; i++)
        {
            reply.MapHeader(3);
            Write(reply, rules.Selectors[i]);
        }
    }

    private static void Write(RespReplyWriter reply, AclSelector selector)
    {
        reply.Bulk("commands"u8);
        Write(reply, selector.DescribeCommands());
        reply.Bulk("keys"u8);
        Write(reply, selector.DescribeKeys());
        reply.Bulk("channels"u8);
        Write(reply, selector.DescribeChannels());
    }

    private static void Users(in RespRequest request, CommandContext context)
    {
        var users = context.Server.Users.All;
        context.Reply.ArrayHeader(users.Count);
        foreach (var user in users)
            Write(context.Reply, user.Name);
    }

    private static void List(in RespRequest request, CommandContext context)
    {
        var users = context.Server.Users.All;
        context.Reply.ArrayHeader(users.Count);
        foreach (var user in users)
            Write(context.Reply, AclFile.Describe(user));
    }

    private static void Write(RespReplyWriter reply, string text) => reply.Bulk(Encoding.Latin1.GetBytes(text));

    private static void Refuse(RespReplyWriter reply, string error) => reply.Error(Encoding.Latin1.GetBytes(error));
}
