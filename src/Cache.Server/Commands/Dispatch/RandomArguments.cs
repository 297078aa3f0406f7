using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// How many elements HRANDFIELD, SRANDMEMBER or ZRANDMEMBER takes, behind the key: [count [WITHVALUES]].
/// </summary>
/// <remarks>A negative count says that elements may come more than once.</remarks>
internal readonly ref struct RandomArguments
{
    // The time to take an element, in nanoseconds.
    private const long ElementWork = 100;

    private RandomArguments(long count, bool hasCount, bool hasValues) =>
        (Count, MayRepeat, HasCount, HasValues) = (Math.Abs(count), count < 0, hasCount, hasValues);

    /// <summary>How many are wanted.</summary>
    public long Count { get; }

    public bool MayRepeat { get; }

    /// <summary>Whether there is a count: the reply is an array then.</summary>
    public bool HasCount { get; }

    /// <summary>Whether each is followed by what belongs to it.</summary>
    public bool HasValues { get; }

    /// <summary>Reads them; replies with an error if they are wrong, or gives way if they ask for much.</summary>
    /// <param name="request">The request.</param>
    /// <param name="values">The word behind the count; empty: there is none.</param>
    /// <param name="context">The client.</param>
    /// <param name="arguments">What was read.</param>
    public static bool TryParse(
        in RespRequest request, ReadOnlySpan<byte> values, CommandContext context, out RandomArguments arguments)
    {
        arguments = new RandomArguments(1, hasCount: false, hasValues: false);
        if (request.Count == 2)
            return true;
        long count = 0;
        bool hasValues = request.Count == 4;
        if (values.IsEmpty && request.Count > 3)
            context.Reply.Error(ErrorTexts.Syntax);
        else if (!RespInteger.TryParse(request[2], out count))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else if (count == long.MinValue)
            context.Reply.Error(ErrorTexts.NotANegatable);
        else if (request.Count > 4 || (hasValues && !request[3].Is(values)))
            context.Reply.Error(ErrorTexts.Syntax);
        else if (hasValues && count is < -long.MaxValue / 2 or > long.MaxValue / 2)
            context.Reply.Error("ERR value is out of range"u8);
        else if (count >= 0
            ? !CollectionWork.TryGiveWay(request[1], count, context)
            : !context.TryGiveWay(count < -Turn.WorkMax ? long.MaxValue : -count * ElementWork))
        {
            arguments = new RandomArguments(count, hasCount: true, hasValues);
            return true;
        }

        return false;
    }

    /// <summary>The reply where the sink was told nothing.</summary>
    public void ReplyUnless(ReadStatus found, RespReplyWriter reply)
    {
        if (found == ReadStatus.WrongType)
            reply.Error(ErrorTexts.WrongType);
        else if (found == ReadStatus.NotFound && HasCount)
            reply.ArrayHeader(0);
        else if (found == ReadStatus.NotFound)
            reply.Null();
    }
}
