using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>The commands that write strings.</summary>
internal static class StringWriteCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("set", Set),
        new("setnx", SetNx),
        new("setex", SetEx),
        new("psetex", PSetEx),
        new("getset", GetSet),
        new("mset", MSet),
        new("msetnx", MSetNx),
        new("append", Append),
        new("setrange", SetRange),
    ];

    /// <summary>SET key value [NX | XX] [GET] [EX s | PX ms | EXAT time | PXAT time | KEEPTTL]</summary>
    private static void Set(in RespRequest request, CommandContext context)
    {
        if (request.Count > 3)
        {
            SetWithOptions(request, context);
            return;
        }

        var status = Set(request, valueIndex: 2, default, context);
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else
            context.Reply.Refusal(status);
    }

    // A long value is in its final memory already, and is not copied.
    private static WriteStatus Set(
        in RespRequest request, int valueIndex, in EntryOptions options, CommandContext context) =>
        request.IsElsewhere(valueIndex)
            ? context.Store.Set(request[1], context.GiveUpLongArgument(), options)
            : context.Store.Set(request[1], request[valueIndex], options);

    /// <summary>SETNX key value</summary>
    private static void SetNx(in RespRequest request, CommandContext context)
    {
        var options = new EntryOptions { Condition = SetCondition.IfAbsent };
        ReplyWhetherDone(Set(request, valueIndex: 2, options, context), context.Reply);
    }

    /// <summary>SETEX key seconds value</summary>
    private static void SetEx(in RespRequest request, CommandContext context) =>
        SetExpiring(request, ExpireUnit.Seconds, "setex"u8, context);

    /// <summary>PSETEX key milliseconds value</summary>
    private static void PSetEx(in RespRequest request, CommandContext context) =>
        SetExpiring(request, ExpireUnit.Milliseconds, "psetex"u8, context);

    /// <summary>GETSET key value</summary>
    private static void GetSet(in RespRequest request, CommandContext context) =>
        SetAndReplyPrevious(request, default, context);

    /// <summary>MSET key value [key value ...]</summary>
    private static void MSet(in RespRequest request, CommandContext context)
    {
        if (!TryWriteMany(request, SetCondition.Always, "mset"u8, context, out var status))
            return;
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else
            context.Reply.Refusal(status);
    }

    /// <summary>MSETNX key value [key value ...]</summary>
    private static void MSetNx(in RespRequest request, CommandContext context)
    {
        if (TryWriteMany(request, SetCondition.IfAbsent, "msetnx"u8, context, out var status))
            ReplyWhetherDone(status, context.Reply);
    }

    /// <summary>APPEND key value</summary>
    private static void Append(in RespRequest request, CommandContext context)
    {
        bool isString = context.Store.TryPeekInfo(request[1], out var info) && info.Kind == EntryKind.String;
        if (isString && info.Length > context.Server.Settings.ProtoMaxBulkLength - request[2].Length)
            context.Reply.Error(ErrorTexts.StringTooLong);
        else if (!context.TryGiveWay((long)info.Length + request[2].Length))
            ReplyLength(context.Store.Append(request[1], request[2], out int length), length, context.Reply);
    }

    /// <summary>SETRANGE key offset value</summary>
    private static void SetRange(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RespInteger.TryParse(request[2], out long offset))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (offset < 0)
            reply.Error("ERR offset is out of range"u8);
        else if (request[3].IsEmpty)
            StringReadCommands.StrLen(request, context); // Setting no bytes neither creates a key nor extends a value.
        else if (offset > context.Server.Settings.ProtoMaxBulkLength - request[3].Length)
            RefuseLength(request[1], context);
        else if (!context.TryGiveWay(offset + request[3].Length) && !context.TryGiveWayFor(request[1]))
            ReplyLength(context.Store.SetRange(request[1], (int)offset, request[3], out int length), length, reply);
    }

    // Redis looks for the key before it checks the length.
    private static void RefuseLength(ReadOnlySpan<byte> key, CommandContext context)
    {
        context.Store.TryPeekInfo(key, out var info);
        if (!context.Reply.RefusesKind(info.Kind))
            context.Reply.Error(ErrorTexts.StringTooLong);
    }

    private static void SetWithOptions(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!StringOptions.TryParseSet(request, out var options))
        {
            reply.Error(ErrorTexts.Syntax);
            return;
        }

        var moment = default(ExpireMoment);
        if (options.ExpireUnit != ExpireUnit.None && !StringReadCommands.TryGetExpiry(
            request[options.ExpireIndex], options.ExpireUnit, "set"u8, context, out moment))
            return;

        var entryOptions = new EntryOptions
        {
            Condition = options.Condition,
            KeepTtl = options.KeepsTtl,
            ExpiresAtMs = moment.StoreMs,
            ExpiresAtUnixMs = moment.UnixMs,
        };
        if (options.ReturnsPrevious)
            SetAndReplyPrevious(request, entryOptions, context);
        else
            SetAndReplyOk(request, entryOptions, context);
    }

    private static void SetAndReplyOk(in RespRequest request, in EntryOptions options, CommandContext context)
    {
        var status = Set(request, valueIndex: 2, options, context);
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else if (status == WriteStatus.ConditionNotMet)
            context.Reply.Null();
        else
            context.Reply.Refusal(status);
    }

    private static void SetAndReplyPrevious(in RespRequest request, in EntryOptions options, CommandContext context)
    {
        if (context.TryGiveWayFor(request[1]))
            return;
        var previous = new PreparedBulkSink(context.Reply);
        var status = context.Store.Set(request[1], request[2], options, ref previous, out bool existed);
        if (status is not (WriteStatus.Done or WriteStatus.ConditionNotMet))
            context.Reply.Refusal(status);
        else if (existed)
            previous.Reply();
        else
            context.Reply.Null();
    }

    private static void SetExpiring(
        in RespRequest request, ExpireUnit unit, ReadOnlySpan<byte> name, CommandContext context)
    {
        if (!StringReadCommands.TryGetExpiry(request[2], unit, name, context, out var moment))
            return;
        var options = new EntryOptions { ExpiresAtMs = moment.StoreMs };
        var status = Set(request, valueIndex: 3, options, context);
        if (status == WriteStatus.Done)
            context.Reply.Ok();
        else
            context.Reply.Refusal(status);
    }

    private static bool TryWriteMany(
        in RespRequest request,
        SetCondition condition,
        ReadOnlySpan<byte> name,
        CommandContext context,
        out WriteStatus status)
    {
        status = default;
        if (request.Count % 2 == 0)
        {
            context.Reply.WrongArgumentCount(name);
            return false;
        }

        var entries = new RequestEntries(request);
        status = context.Store.SetMany(ref entries, condition);
        return true;
    }

    private static void ReplyWhetherDone(WriteStatus status, RespReplyWriter reply)
    {
        if (status is WriteStatus.Done or WriteStatus.ConditionNotMet)
            reply.ZeroOrOne(status == WriteStatus.Done);
        else
            reply.Refusal(status);
    }

    private static void ReplyLength(WriteStatus status, int length, RespReplyWriter reply)
    {
        if (status == WriteStatus.Done)
            reply.Integer(length);
        else
            reply.Refusal(status);
    }
}
