using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Keys;

/// <summary>The commands on keys of any type, except for expiry and scans.</summary>
internal static class KeyCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("del", Delete),
        new("unlink", Delete),
        new("exists", Exists),
        new("touch", Touch),
        new("type", Type),
        new("rename", Rename),
        new("renamenx", RenameNx),
        new("copy", Copy),
        new("move", Move),
        new("randomkey", RandomKey),
    ];

    // DEL key [key ...], UNLINK key [key ...]: the same here, since no value takes long to free.
    private static void Delete(in RespRequest request, CommandContext context)
    {
        int count = 0;
        for (int i = 1; i < request.Count; i++)
            count += context.Store.Remove(request[i]) ? 1 : 0;
        context.Reply.Integer(count);
    }

    // EXISTS key [key ...]; a key that occurs twice counts twice.
    private static void Exists(in RespRequest request, CommandContext context)
    {
        int count = 0;
        for (int i = 1; i < request.Count; i++)
            count += context.Store.TryPeekInfo(request[i], out _) ? 1 : 0;
        context.Reply.Integer(count);
    }

    // TOUCH key [key ...]
    private static void Touch(in RespRequest request, CommandContext context)
    {
        int count = 0;
        for (int i = 1; i < request.Count; i++)
            count += context.Store.Contains(request[i]) ? 1 : 0;
        context.Reply.Integer(count);
    }

    // TYPE key
    private static void Type(in RespRequest request, CommandContext context)
    {
        context.Store.TryPeekInfo(request[1], out var info);
        context.Reply.SimpleString(TypeName.Of(info.Kind));
    }

    // RENAME key newkey
    private static void Rename(in RespRequest request, CommandContext context)
    {
        var status = context.Store.Rename(request[1], request[2], SetCondition.Always);
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else
            ReplyRenameFailure(status, context.Reply);
    }

    // RENAMENX key newkey
    private static void RenameNx(in RespRequest request, CommandContext context)
    {
        var status = context.Store.Rename(request[1], request[2], SetCondition.IfAbsent);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            ReplyRenameFailure(status, context.Reply);
    }

    private static void ReplyRenameFailure(WriteStatus status, RespReplyWriter reply)
    {
        if (status == WriteStatus.NotFound)
            reply.Error(ErrorTexts.NoSuchKey);
        else
            reply.Refusal(status);
    }

    // COPY source destination [DB index] [REPLACE]
    private static void Copy(in RespRequest request, CommandContext context)
    {
        var destination = context.Store;
        var condition = SetCondition.IfAbsent;
        for (int i = 3; i < request.Count; i++)
        {
            if (request[i].Is("REPLACE"u8))
            {
                condition = SetCondition.Always;
            }
            else if (request[i].Is("DB"u8) && i + 1 < request.Count)
            {
                if (!TrySelect(request[++i], context, out destination))
                    return;
            }
            else
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return;
            }
        }

        if (destination.Keyspace != context.Store.Keyspace && context.Server.Cluster is not null)
        {
            context.Reply.Error("ERR Copying to another database is not allowed in cluster mode"u8);
            return;
        }

        if (destination.Keyspace == context.Store.Keyspace && request[1].SequenceEqual(request[2]))
        {
            context.Reply.Error(ErrorTexts.SameObject);
            return;
        }

        if (context.TryGiveWayFor(request[1]))
            return;
        var status = context.Store.Copy(request[1], destination, request[2], condition);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet or WriteStatus.NotFound)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            context.Reply.Refusal(status);
    }

    // MOVE key db
    private static void Move(in RespRequest request, CommandContext context)
    {
        if (context.Server.Cluster is not null)
        {
            context.Reply.Error("ERR MOVE is not allowed in cluster mode"u8);
            return;
        }

        if (!TrySelect(request[2], context, out var destination))
            return;
        if (destination.Keyspace == context.Store.Keyspace)
        {
            context.Reply.Error(ErrorTexts.SameObject);
            return;
        }

        var status = context.Store.Move(request[1], destination);
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet or WriteStatus.NotFound)
            context.Reply.ZeroOrOne(status == WriteStatus.Done);
        else
            context.Reply.Refusal(status);
    }

    private static bool TrySelect(ReadOnlySpan<byte> argument, CommandContext context, out CacheStore keyspace)
    {
        keyspace = context.Store;
        if (!RespInteger.TryParse(argument, out long index))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else if (index is < int.MinValue or > int.MaxValue)
            context.Reply.Error(ErrorTexts.NotAnInt32);
        else if ((ulong)index >= (ulong)context.Server.Databases.Count)
            context.Reply.Error(ErrorTexts.KeyspaceOutOfRange);
        else
        {
            keyspace = context.KeyspaceOf((int)index);
            return true;
        }

        return false;
    }

    // RANDOMKEY
    private static void RandomKey(in RespRequest request, CommandContext context)
    {
        var sink = new BulkReplySink(context.Reply);
        if (!context.Store.TryGetRandomKey(ref sink))
            context.Reply.Null();
    }
}
