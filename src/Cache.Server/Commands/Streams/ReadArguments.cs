using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The options of XREAD and XREADGROUP.</summary>
internal ref struct ReadArguments
{
    // Longer than any timer accepts: a hundred years are no end either.
    private const long TimeoutMsMax = 100L * 365 * 86_400_000;

    /// <summary>The most entries of each stream; 0: all.</summary>
    public long Count { get; private set; }

    /// <summary>The same; all is the greatest number.</summary>
    public readonly long CountMax => Count == 0 ? long.MaxValue : Count;

    /// <summary>How long to wait, in milliseconds, 0: for ever; −1: not at all.</summary>
    public long TimeoutMs { get; private set; }

    /// <summary>How long to wait at most; infinite: no end.</summary>
    public readonly TimeSpan Timeout => TimeoutMs is > 0 and < TimeoutMsMax
        ? TimeSpan.FromMilliseconds(TimeoutMs)
        : System.Threading.Timeout.InfiniteTimeSpan;

    /// <summary>Where the first key is.</summary>
    public int FirstKey { get; private set; }

    /// <summary>The number of streams; behind the keys are as many ids.</summary>
    public int Streams { get; private set; }

    /// <summary>Where the group's name is, before the consumer's; 0: there is none.</summary>
    public int Group { get; private set; }

    /// <summary>Whether what is read counts as acknowledged.</summary>
    public bool IsAcknowledged { get; private set; }

    /// <summary>Reads them, or replies with an error.</summary>
    public bool TryParse(in RespRequest request, bool isGroup, RespReplyWriter reply)
    {
        TimeoutMs = -1;
        for (int i = 1; i < request.Count && FirstKey == 0; i++)
        {
            int more = request.Count - i - 1;
            var option = request[i];
            if (more > 0 && option.Is("BLOCK"u8))
            {
                if (reply.IsOfScript)
                {
                    reply.Error(
                        [.. "ERR "u8, .. request[0], .. " command is not allowed with BLOCK option from scripts"u8]);
                    return false;
                }

                if (!TryParseTimeout(request[++i], reply))
                    return false;
            }
            else if (more > 0 && option.Is("COUNT"u8))
            {
                if (!RespInteger.TryParse(request[++i], out long count))
                {
                    reply.Error(ErrorTexts.NotAnInteger);
                    return false;
                }

                Count = Math.Max(0, count);
            }
            else if (more > 0 && option.Is("STREAMS"u8))
            {
                if (!TryParseStreams(i + 1, more, reply))
                    return false;
            }
            else if (!TryParseGroup(request, ref i, isGroup, reply))
            {
                return false;
            }
        }

        if (FirstKey == 0)
            reply.Error(ErrorTexts.Syntax);
        else if (isGroup && Group == 0)
            reply.Error("ERR Missing GROUP option for XREADGROUP"u8);
        return FirstKey != 0 && (!isGroup || Group != 0);
    }

    private bool TryParseGroup(in RespRequest request, scoped ref int i, bool isGroup, RespReplyWriter reply)
    {
        bool isName = request.Count - i - 1 >= 2 && request[i].Is("GROUP"u8);
        if (!isName && !request[i].Is("NOACK"u8))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!isGroup)
        {
            reply.Error(isName
                ? "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead."u8
                : "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead."u8);
            return false;
        }

        if (isName)
        {
            Group = i + 1;
            i += 2;
        }
        else
        {
            IsAcknowledged = true;
        }

        return true;
    }

    private bool TryParseStreams(int first, int count, RespReplyWriter reply)
    {
        if (count % 2 != 0)
        {
            reply.Error(Unbalanced);
            return false;
        }

        (FirstKey, Streams) = (first, count / 2);
        return true;
    }

    private bool TryParseTimeout(ReadOnlySpan<byte> argument, RespReplyWriter reply)
    {
        bool isNumber = RespInteger.TryParse(argument, out long timeout);
        TimeoutMs = timeout;
        if (!isNumber)
            reply.Error("ERR timeout is not an integer or out of range"u8);
        else if (timeout < 0)
            reply.Error("ERR timeout is negative"u8);
        return isNumber && timeout >= 0;
    }

    private static ReadOnlySpan<byte> Unbalanced =>
        "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified."u8;
}
