using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>CACHE UNSAFE: what an administrator does only when nothing else helps.</summary>
/// <remarks>
/// An action is logged, counted and kept as an event before it is done, since it may end the process.
/// </remarks>
internal static class UnsafeCommand
{
    // A sentence for the log.
    private const int ReasonBytesMax = 256;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("cache|unsafe", Unsafe),
    ];

    private static ReadOnlySpan<byte> NoReason =>
        "ERR CACHE UNSAFE needs a reason of 1 to 256 bytes behind I-KNOW; it goes to the log"u8;

    // CACHE UNSAFE action [I-KNOW reason]
    private static void Unsafe(in RespRequest request, CommandContext context)
    {
        if (Find(request[2], context.Server) is not { } action)
        {
            context.Reply.Error("ERR CACHE UNSAFE has the actions RESET-ACL, IGNORE-JOURNAL and END-PROCESS"u8);
            return;
        }

        if (action.Obstacle is { } obstacle)
        {
            context.Reply.Error(Encoding.UTF8.GetBytes($"ERR {obstacle}"));
            return;
        }

        if (!context.IsAdministrator && FindDenied(action, context) is { } denied)
        {
            context.Reply.Error(denied.DenialError);
            return;
        }

        if (request.Count == 3)
        {
            context.Reply.Bulk(Encoding.UTF8.GetBytes(
                $"Nothing was done. {action.Effect} To do it: CACHE UNSAFE {action.Name} I-KNOW \"reason\""));
            return;
        }

        if (request.Count != 5 || !request[3].Is("I-KNOW"u8))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (request[4].Length is 0 or > ReasonBytesMax)
        {
            context.Reply.Error(NoReason);
            return;
        }

        context.Server.NoteUnsafeAction(context.Client.EndPoints.Remote, action.Name, InOneLine(request[4]));
        Do(action, context);
    }

    // Who may not use a command, or for whom it was renamed away, gets its effect on no other way.
    private static CommandDefinition? FindDenied(UnsafeAction action, CommandContext context)
    {
        var container = CommandTable.Default.Find(action.Command);
        var command = container?.Subcommands?.Find("setuser"u8) ?? container!;
        bool isThere = false;
        foreach (var one in context.Server.Commands.Commands)
            isThere |= one == container;
        return isThere && context.Client.User.Rules.AllowsFreely(command) ? null : command;
    }

    private static void Do(UnsafeAction action, CommandContext context)
    {
        try
        {
            action.Do!(context);
            context.Reply.Ok();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            context.Reply.Error(Encoding.UTF8.GetBytes($"ERR {e.Message}"));
        }
    }

    // A line of the log ends where we end it.
    private static string InOneLine(ReadOnlySpan<byte> reason)
    {
        char[] text = Encoding.UTF8.GetString(reason).ToCharArray();
        for (int i = 0; i < text.Length; i++)
        {
            if (char.IsControl(text[i]))
                text[i] = ' ';
        }

        return new string(text);
    }

    private static UnsafeAction? Find(ReadOnlySpan<byte> name, ServerState server)
    {
        if (name.Is("RESET-ACL"u8))
            return ResetUsers();
        if (name.Is("IGNORE-JOURNAL"u8))
            return IgnoreFiles(server);
        return name.Is("END-PROCESS"u8) ? EndProcess(server) : null;
    }

    private static UnsafeAction ResetUsers() => new(
        "RESET-ACL",
        "It would remove all users but the default one, disconnect their clients, and let the default user do "
        + "everything, with the password of requirepass at the start if there was one. A file of users stays as it is.",
        static context =>
        {
            var former = context.Server.Users.ReplaceAll(new Dictionary<string, Security.AclRules>());
            context.Server.Clients.Disconnect(former, context.Client);
        })
    { Command = "acl"u8.ToArray() };

    private static UnsafeAction IgnoreFiles(ServerState server)
    {
        if (server.Durability is not { } durability)
            return new("IGNORE-JOURNAL", "", null) { Obstacle = "this server keeps nothing on disk" };
        return new(
            "IGNORE-JOURNAL",
            $"It would make the file {durability.MarkerPath}: the next start loads nothing, once, and renames the "
            + "files that it would have loaded.",
            static context => MakeMarker(context.Server.Durability!.MarkerPath))
        { Command = "flushall"u8.ToArray() };
    }

    // A file that is there stays as it is, and so does what a link leads to.
    private static void MakeMarker(string path)
    {
        try
        {
            using var made = new FileStream(path, FileMode.CreateNew);
        }
        catch (IOException) when (File.Exists(path))
        {
            // It asks for the same already.
        }
    }

    private static UnsafeAction EndProcess(ServerState server) => new(
        "END-PROCESS",
        "It would end the process at once, as kill -9 does: nothing is saved, no client gets its reply.",
        static context => context.Server.EndProcess!())
    {
        Command = "shutdown"u8.ToArray(),
        Obstacle = server.EndProcess is null ? "this server is a part of another program" : null,
    };

    /// <param name="Name">The word for it.</param>
    /// <param name="Effect">What it would do, in a sentence.</param>
    /// <param name="Do">Does it; null with an obstacle.</param>
    private sealed record UnsafeAction(string Name, string Effect, Action<CommandContext>? Do)
    {
        /// <summary>The command with the same effect, which the client must be allowed to use.</summary>
        public byte[] Command { get; init; } = [];

        /// <summary>Why it cannot be done here; null: it can.</summary>
        public string? Obstacle { get; init; }
    }
}
