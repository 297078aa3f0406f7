using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>BITOP: combines values bit by bit.</summary>
internal static class BitOpCommand
{
    // The time after which other requests that wait for the same threads have a turn.
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(10);

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("bitop", BitOp),
    ];

    // BITOP AND | OR | XOR | NOT destkey key [key ...]
    private static void BitOp(in RespRequest request, CommandContext context)
    {
        if (!TryParse(request[1], out var logic))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (logic == BitLogic.Not && request.Count != 4)
        {
            context.Reply.Error("ERR BITOP NOT must be called with a single source key."u8);
            return;
        }

        if (context.Progress is null && context.SharesThread && context.TryGiveWay(FindLength(request, context)))
            return;

        // From here on the context owns it, and gives its memory back, even after an exception.
        var progress = context.Progress as BitOpProgress ?? Begin(logic, request, context);
        if (!TryEnd(progress, context))
        {
            context.GiveWayWith(progress);
            return;
        }

        Reply(request[2], progress, context.Reply);
        context.EndProgress();
    }

    private static BitOpProgress Begin(BitLogic logic, in RespRequest request, CommandContext context)
    {
        var progress = new BitOpProgress(logic, context.Store);
        context.Progress = progress;
        progress.Begin(request);
        return progress;
    }

    /// <returns>False if others must have a turn first.</returns>
    private static bool TryEnd(BitOpProgress progress, CommandContext context)
    {
        var clock = context.Server.TimeProvider;
        long start = clock.GetTimestamp();
        while (progress.Step())
        {
            if (context.Client.IsKilled)
                return true;
            if (context.IsElsewhere && clock.GetElapsedTime(start) >= StepTime)
                return false;
        }

        return true;
    }

    // If all sources are absent or empty the result is no key; for a client that was killed meanwhile there is none.
    private static void Reply(ReadOnlySpan<byte> key, BitOpProgress progress, RespReplyWriter reply)
    {
        if (progress.IsTooLong)
            reply.Error("ERR the sources are too long: of those below 64 KB, 128 MB can be combined"u8);
        if (progress.HasOtherKind)
            reply.Error(ErrorTexts.WrongType);
        if (progress.IsTooLong || progress.HasOtherKind || !progress.IsDone)
            return;
        int length = progress.Length;
        if (length == 0)
            progress.Store.Remove(key);
        var status = length == 0 ? WriteStatus.Done : progress.Write(key);
        if (status == WriteStatus.Done)
            reply.Integer(length);
        else
            reply.Refusal(status);
    }

    private static bool TryParse(ReadOnlySpan<byte> name, out BitLogic logic)
    {
        logic = name.Is("AND"u8) ? BitLogic.And
            : name.Is("OR"u8) ? BitLogic.Or
            : name.Is("XOR"u8) ? BitLogic.Xor
            : BitLogic.Not;
        return logic != BitLogic.Not || name.Is("NOT"u8);
    }

    private static long FindLength(in RespRequest request, CommandContext context)
    {
        long length = 0;
        for (int i = 3; i < request.Count; i++)
        {
            if (context.Store.TryPeekInfo(request[i], out var info))
                length += info.Length;
        }

        return length;
    }
}
