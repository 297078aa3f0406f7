using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>XGROUP: groups of consumers, and the consumers.</summary>
internal static class XGroupCommands
{
    private const int FirstOption = 5;
    private const int OptionsEndOfCreate = 8;
    private const int OptionsEndOfSetId = 7;

    private static readonly string[] _help =
    [
        "XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CREATE <key> <groupname> <id|$> [option]",
        "    Create a new consumer group. Options are:",
        "    * MKSTREAM",
        "      Create the empty stream if it does not exist.",
        "    * ENTRIESREAD entries_read",
        "      Set the group's entries_read counter (internal use).",
        "CREATECONSUMER <key> <groupname> <consumer>",
        "    Create a new consumer in the specified group.",
        "DELCONSUMER <key> <groupname> <consumer>",
        "    Remove the specified consumer.",
        "DESTROY <key> <groupname>",
        "    Remove the specified group.",
        "SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
        "    Set the current group ID and entries_read counter.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("xgroup|create", Create),
        new("xgroup|setid", SetId),
        new("xgroup|destroy", Destroy),
        new("xgroup|createconsumer", CreateConsumer),
        new("xgroup|delconsumer", DeleteConsumer),
        new("xgroup|help", Help),
    ];

    // XGROUP CREATE key group id | $ [MKSTREAM] [ENTRIESREAD entries-read]
    private static void Create(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!TryParseOptions(request, isCreate: true, reply, out var options)
            || !MayGoOn(request, options.MakesStream, needsGroup: false, context))
        {
            return;
        }

        if (request.Count > OptionsEndOfCreate)
        {
            reply.UnknownSubcommand(request[1], "XGROUP"u8);
            return;
        }

        if (request[4] is not [(byte)'$'])
        {
            if (!StreamIdArgument.TryParseStrict(request[4], reply, out var id))
                return;
            options = options with { LastDeliveredId = id };
        }

        var status = context.Store.Stream(request[2]).CreateGroup(request[3], options, out _);
        if (status == WriteStatus.ConditionNotMet)
            reply.Error("BUSYGROUP Consumer Group name already exists"u8);
        else
            Reply(status, request, context);
    }

    // XGROUP SETID key group id | $ [ENTRIESREAD entries-read]
    private static void SetId(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!TryParseOptions(request, isCreate: false, reply, out var options)
            || !MayGoOn(request, makesStream: false, needsGroup: true, context))
        {
            return;
        }

        if (request.Count > OptionsEndOfSetId)
        {
            reply.UnknownSubcommand(request[1], "XGROUP"u8);
            return;
        }

        if (request[4] is not [(byte)'$'])
        {
            if (!StreamIdArgument.TryParse(request[4], 0, reply, out var id))
                return;
            options = options with { LastDeliveredId = id };
        }

        Reply(context.Store.Stream(request[2]).SetGroupId(request[3], options, out _), request, context);
    }

    // XGROUP DESTROY key group
    private static void Destroy(in RespRequest request, CommandContext context)
    {
        if (!MayGoOn(request, makesStream: false, needsGroup: false, context))
            return;
        if (CollectionWork.TryGiveWay(request[2], context))
            return;
        var status = context.Store.Stream(request[2]).RemoveGroup(request[3], out _);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            Reply(status, request, context);
    }

    // XGROUP CREATECONSUMER key group consumer
    private static void CreateConsumer(in RespRequest request, CommandContext context)
    {
        if (!MayGoOn(request, makesStream: false, needsGroup: true, context))
            return;
        var status = context.Store.Stream(request[2]).CreateConsumer(request[3], request[4], out var outcome);
        if (status == WriteStatus.Done)
            context.Reply.ZeroOrOne(outcome == StreamGroupStatus.Done);
        else
            Reply(status, request, context);
    }

    // XGROUP DELCONSUMER key group consumer
    private static void DeleteConsumer(in RespRequest request, CommandContext context)
    {
        if (!MayGoOn(request, makesStream: false, needsGroup: true, context))
            return;
        if (CollectionWork.TryGiveWay(request[2], context))
            return;
        var status = context.Store.Stream(request[2]).RemoveConsumer(
            request[3], request[4], out long pending, out var outcome);
        if (status == WriteStatus.Done || outcome == StreamGroupStatus.NoConsumer)
            context.Reply.Integer(pending);
        else
            Reply(status, request, context);
    }

    // XGROUP HELP
    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);

    private static bool TryParseOptions(
        in RespRequest request, bool isCreate, RespReplyWriter reply, out StreamGroupOptions options)
    {
        options = default;
        for (int i = FirstOption; i < request.Count; i++)
        {
            if (isCreate && request[i].Is("MKSTREAM"u8))
            {
                options = options with { MakesStream = true };
            }
            else if (request[i].Is("ENTRIESREAD"u8) && i + 1 < request.Count)
            {
                if (!RespInteger.TryParse(request[++i], out long read))
                {
                    reply.Error(ErrorTexts.NotAnInteger);
                    return false;
                }

                if (read < -1)
                {
                    reply.Error("ERR value for ENTRIESREAD must be positive or -1"u8);
                    return false;
                }

                options = options with { EntriesRead = read == -1 ? null : read };
            }
            else
            {
                reply.UnknownSubcommand(request[1], "XGROUP"u8);
                return false;
            }
        }

        return true;
    }

    // In Redis's order: the key's kind, the key, the group; then the rest of the arguments.
    private static bool MayGoOn(in RespRequest request, bool makesStream, bool needsGroup, CommandContext context)
    {
        var stream = context.Store.Stream(request[2]);
        var found = stream.FindGroup(request[3], out var group, out _, out _);
        if (found == ReadStatus.WrongType)
            context.Reply.Error(ErrorTexts.WrongType);
        else if (makesStream)
            return true;
        else if (found == ReadStatus.NotFound)
            ReplyNoKey(context.Reply);
        else if (needsGroup && group == StreamGroupStatus.NoGroup)
            context.Reply.NoGroupOfKey(request[2], request[3]);
        else
            return true;
        return false;
    }

    private static void Reply(WriteStatus status, in RespRequest request, CommandContext context)
    {
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else if (status == WriteStatus.NotFound)
            ReplyNoKey(context.Reply);
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.NoGroupOfKey(request[2], request[3]);
        else
            context.Reply.Refusal(status);
    }

    private static void ReplyNoKey(RespReplyWriter reply) => reply.Error(
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM "u8
        + "option to create an empty stream automatically."u8);
}
