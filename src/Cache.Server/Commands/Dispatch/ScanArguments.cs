using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>What HSCAN and its like ask for, behind the key: cursor [MATCH pattern] [COUNT count].</summary>
internal ref struct ScanArguments
{
    /// <summary>Where to go on.</summary>
    public ulong Cursor;

    /// <summary>Which elements are wanted.</summary>
    public ReadOnlySpan<byte> Pattern { get; private set; }

    /// <summary>About how many are looked at.</summary>
    public int Count { get; private set; }

    /// <summary>Reads them; replies if they are wrong, or the key is absent or of another kind; or gives way.</summary>
    public static bool TryParse(
        in RespRequest request, EntryKind kind, CommandContext context, out ScanArguments arguments)
    {
        arguments = default;
        var reply = context.Reply;
        if (!CursorArgument.TryParse(request[2], out arguments.Cursor))
            reply.Error(ErrorTexts.InvalidCursor);
        else if (!context.Store.TryPeekInfo(request[1], out var info)) // Redis does so before it reads the options.
            ScanReply.Write(0, null, reply);
        else if (info.Kind != kind)
            reply.Error(ErrorTexts.WrongType);
        else if (!ScanOptions.TryParse(request, first: 3, out var options))
            reply.Error(options.IsCountWrong ? ErrorTexts.NotAnInteger : ErrorTexts.Syntax);
        else if (!context.TryGiveWay(
            CollectionWork.ScannedBytes(info, options.Count) * Math.Max(options.Pattern.Length, 1)))
        {
            arguments.Pattern = options.Pattern;
            arguments.Count = (int)Math.Min(options.Count, int.MaxValue);
            return true;
        }

        return false;
    }

    /// <summary>The reply: the next cursor, and what was found.</summary>
    public readonly void Reply(ReadStatus status, ByteStringList found, RespReplyWriter reply)
    {
        if (status == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else
            ScanReply.Write(Cursor, found, reply);
    }
}
