using Cache.Core;
using Cache.Durability.Dumps;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Keys;

/// <summary>DUMP and RESTORE: the value of a key in the form of Redis's files.</summary>
internal static class DumpCommands
{
    // About the nanoseconds that a byte of a payload takes at most: of a text, of a compressed one, of which a byte may
    // become 88, and of short elements.
    private const long StringByteWork = 100;
    private const long CompressedByteWork = 800;
    private const long ElementByteWork = 1024;

    // The first byte of a payload of a text, and the second where that is compressed.
    private const byte StringType = 0;
    private const byte Compressed = 0xC3;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("dump", Dump),
        new("restore", Restore),
    ];

    // DUMP key
    private static void Dump(in RespRequest request, CommandContext context)
    {
        context.Store.TryPeekInfo(request[1], out var info);
        if (context.TryGiveWay(Math.Max(info.Length, info.MemoryBytes)))
            return;
        long limit = context.FindReplyListBytesMax();
        int lengthMax = (int)Math.Min(limit == 0 ? long.MaxValue : limit, Array.MaxLength);
        if (!DumpedValue.TryMake(context.Store, request[1], lengthMax, out var payload))
            context.Reply.Null();
        else if (payload is null)
            context.Reply.Error(ErrorTexts.ReplyTooLong);
        else
            context.Reply.Bulk(payload.GetBuffer().AsSpan(0, (int)payload.Length));
    }

    // RESTORE key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]
    private static void Restore(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        if (!RestoreOptions.TryParse(request, reply, out var options))
            return;
        if (!options.Replaces && context.Store.TryPeekInfo(request[1], out _))
            reply.Error(ErrorTexts.BusyKey);
        else if (!RespInteger.TryParse(request[2], out long ttl))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (ttl < 0)
            reply.Error("ERR Invalid TTL value, must be >= 0"u8);
        else if (!context.TryGiveWay(WorkOf(request[3])))
            Restore(request, options, ttl, context);
    }

    private static void Restore(in RespRequest request, in RestoreOptions options, long ttl, CommandContext context)
    {
        var store = context.Store;
        var key = request[1];
        var payload = request[3];
        var entry = options.EntryOptionsOf(ttl, store, out bool isPast);
        var written = WriteStatus.Done;
        var status = isPast
            ? RestoredValue.Check(payload)
            : RestoredValue.Write(store, key, payload, entry, out written);
        switch (status)
        {
            case RestoreStatus.NoPayload:
                context.Reply.Error("ERR DUMP payload version or checksum are wrong"u8);
                break;
            case RestoreStatus.Damaged:
                context.Reply.Error("ERR Bad data format"u8);
                break;
            case RestoreStatus.TooLong:
                context.Reply.Refusal(WriteStatus.CollectionTooLong);
                break;
            default:
                if (isPast && options.Replaces)
                    store.Remove(key);
                Answer(written, context.Reply);
                break;
        }
    }

    private static long WorkOf(ReadOnlySpan<byte> payload)
    {
        return payload.Length * payload switch
        {
            [StringType, Compressed, ..] => CompressedByteWork,
            [StringType, ..] => StringByteWork,
            _ => ElementByteWork,
        };
    }

    private static void Answer(WriteStatus written, RespReplyWriter reply)
    {
        if (written == WriteStatus.Done)
            reply.Ok();
        else if (written == WriteStatus.ConditionNotMet) // Another client has made it meanwhile.
            reply.Error(ErrorTexts.BusyKey);
        else
            reply.Refusal(written);
    }
}
