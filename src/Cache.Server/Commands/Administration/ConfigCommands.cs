using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Settings;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>CONFIG. Text is handled as Latin-1, so that each byte of a request is one char.</summary>
internal static class ConfigCommands
{
    // No real setting is longer; a value may have 512 MB, and would be held three times as a text.
    private const int ValueBytesMax = 64 * 1024;

    private static readonly string[] _help =
    [
        "CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET <pattern>",
        "    Return parameters matching the glob-like <pattern> and their values.",
        "SET <directive> <value>",
        "    Set the configuration <directive> to <value>.",
        "RESETSTAT",
        "    Reset statistics reported by the INFO command.",
        "REWRITE",
        "    Rewrite the configuration file.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("config|get", Get),
        new("config|set", Set),
        new("config|resetstat", ResetStatistics),
        new("config|rewrite", Rewrite),
        new("config|help", Help),
    ];

    // A name is shown as it was asked for, in any case of letters; each parameter once.
    private static void Get(in RespRequest request, CommandContext context)
    {
        var found = new Dictionary<string, Directive>(StringComparer.OrdinalIgnoreCase);
        for (int i = 2; i < request.Count; i++)
        {
            if (request[i].IndexOfAny("*?["u8) >= 0)
                AddMatching(new GlobPattern(request[i], ignoreCase: true), context.Server, found);
            else if (ConfigParameters.Find(request[i], context.Server, out string name) is { } parameter)
                found.TryAdd(name, parameter);
        }

        context.Reply.MapHeader(found.Count);
        foreach (var (name, parameter) in found)
        {
            context.Reply.Bulk(Encoding.Latin1.GetBytes(name));
            context.Reply.Bulk(Encoding.Latin1.GetBytes(ConfigParameters.Read(parameter, context.Server)));
        }
    }

    private static void AddMatching(
        GlobPattern pattern, ServerState server, Dictionary<string, Directive> found)
    {
        foreach (var parameter in ConfigParameters.AllOf(server))
        {
            if (pattern.IsMatch(Encoding.Latin1.GetBytes(parameter.Name)))
                found.TryAdd(parameter.Name, parameter);
        }
    }

    // All or none: all values are checked before any is changed.
    private static void Set(in RespRequest request, CommandContext context)
    {
        if (request.Count % 2 != 0)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (MustWait(request, context))
            return;
        lock (context.Server.Settings.Changing)
        {
            if (!TryFind(request, context, out var parameters))
                return;
            var changes = new ConfigChange[parameters.Length];
            for (int i = 0; i < changes.Length; i++)
            {
                var bytes = request[(2 * i) + 3];
                if (bytes.Length > ValueBytesMax)
                {
                    Refuse(context.Reply, parameters[i].Name, "argument is too long, the limit is 65536 bytes");
                    return;
                }

                string value = Encoding.Latin1.GetString(bytes);
                changes[i] = ConfigParameters.Prepare(parameters[i], context.Server, value);
                if (changes[i].IsRefused)
                {
                    Refuse(context.Reply, parameters[i].Name, changes[i].Problem!);
                    return;
                }
            }

            // Changes that may fail come before those that cannot.
            if (TryMove(changes, context.Server) is >= 0 and var failed)
            {
                Refuse(context.Reply, parameters[failed].Name, changes[failed].Problem!);
                return;
            }

            failed = Array.FindIndex(
                changes, change => change.TryApply is { } apply && !apply(context.Server));
            if (failed >= 0)
            {
                Refuse(context.Reply, parameters[failed].Name, changes[failed].Problem!);
                return;
            }

            foreach (var change in changes)
                change.Apply!(context.Server);
            NoteChanges(parameters, context);
        }

        context.Reply.Ok();
    }

    private static void NoteChanges(Directive[] parameters, CommandContext context)
    {
        foreach (var parameter in parameters)
        {
            string value = RequestExcerpt.IsSecretParameter(Encoding.Latin1.GetBytes(parameter.Name))
                ? "(redacted)"
                : ConfigParameters.Read(parameter, context.Server);
            context.Server.Settings.Changed[parameter.AliasOf ?? parameter.Name] = true;
            context.Server.NoteEvent(
                EventKinds.Configuration, $"{ConfigChange.EventPrefix}{parameter.Name} {value}",
                context.Client.EndPoints.Remote);
        }
    }

    // Waits for the disk: not on a thread that serves other clients, nor while other changes wait too.
    private static bool MustWait(in RespRequest request, CommandContext context)
    {
        bool usesDisk = false;
        for (int i = 2; i < request.Count; i += 2)
        {
            string? name = ConfigParameters.Find(request[i], context.Server, out _)?.Name;
            if (name == DurabilityDirectives.AppendOnly && SaveCommands.TryWaitForSnapshot(context))
                return true;
            usesDisk |= name is not null && DurabilityDirectives.UsesDisk(name);
        }

        return usesDisk && context.TryGiveWay(long.MaxValue);
    }

    // The index of the first change whose addresses cannot be listened on; -1: there is none.
    private static int TryMove(ConfigChange[] changes, ServerState server)
    {
        var place = server.Settings.Place;
        int first = -1;
        for (int i = 0; i < changes.Length; i++)
        {
            if (changes[i].Move is not { } move)
                continue;
            place = move(place);
            if (first < 0)
                first = i;
        }

        return first < 0 || server.Listen is null || server.Listen(place) ? -1 : first;
    }

    private static bool TryFind(in RespRequest request, CommandContext context, out Directive[] parameters)
    {
        var reply = context.Reply;
        parameters = new Directive[(request.Count - 2) / 2];
        for (int i = 0; i < parameters.Length; i++)
        {
            if (ConfigParameters.Find(request[(2 * i) + 2], context.Server, out string name) is not { } parameter)
            {
                reply.Error([
                    .. "ERR Unknown option or number of arguments for CONFIG SET - '"u8,
                    .. request[(2 * i) + 2].UpToNul(), .. "'"u8]);
                return false;
            }

            if (FindObstacle(parameter, context, parameters.AsSpan(0, i)) is { } obstacle)
            {
                Refuse(reply, name, obstacle);
                return false;
            }

            parameters[i] = parameter;
        }

        return true;
    }

    private static string? FindObstacle(
        Directive directive, CommandContext context, ReadOnlySpan<Directive> others)
    {
        if (!directive.IsChangeable)
            return "can't set immutable config";
        if (directive.IsProtected && !MayChangeProtected(context))
            return "can't set protected config";
        foreach (var other in others)
        {
            if (other.Name == directive.Name)
                return "duplicate parameter";
        }

        return null;
    }

    private static bool MayChangeProtected(CommandContext context) =>
        context.Server.Settings.Kept.GetValueOrDefault(DirectiveTable.ProtectedConfigs) is { } allowed
        && (allowed == "yes" || (allowed == "local" && context.Client.EndPoints.IsLocal));

    private static void Refuse(RespReplyWriter reply, string name, string problem) =>
        reply.Error(Encoding.Latin1.GetBytes(
            $"ERR CONFIG SET failed (possibly related to argument '{name}') - {problem}"));

    private static void ResetStatistics(in RespRequest request, CommandContext context)
    {
        // As in Redis this call is the first that counts again. Not by its name: CONFIG may have another one.
        var command = context.Client.LastCommand!;
        CommandDispatcher.TakeBackCall(command, context);
        context.Server.ResetStatistics();
        CommandDispatcher.CountCall(command, context);
        context.Reply.Ok();
    }

    // Not while values change, and not two at once, which would share the temporary file.
    private static void Rewrite(in RespRequest request, CommandContext context)
    {
        if (context.Server.Settings.ConfigurationFile.Length == 0)
        {
            context.Reply.Error("ERR The server is running without a config file"u8);
            return;
        }

        string? problem;
        lock (context.Server.Settings.Changing)
            problem = ConfigRewrite.Write(context.Server);
        context.Server.ConfigRewritten?.Invoke(problem);
        if (problem is null)
            context.Reply.Ok();
        else
            context.Reply.Error(Encoding.UTF8.GetBytes($"ERR Rewriting config file: {problem}"));
    }

    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);
}
