using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The arguments of XPENDING behind the group, in the order of Redis's checks.</summary>
internal ref struct PendingRange
{
    private const int ArgumentsMin = 6;
    private const int ArgumentsMax = 9;
    private const int ArgumentsWithIdle = 8;

    public StreamId From { get; private set; }

    public StreamId To { get; private set; }

    public long Count { get; private set; }

    /// <summary>Only what was delivered so long ago, in milliseconds; 0: all.</summary>
    public long MinIdleMs { get; private set; }

    /// <summary>Where the consumer's name is; 0: all consumers.</summary>
    public int Consumer { get; private set; }

    /// <summary>About how many pending entries, or consumers, are looked at.</summary>
    public readonly long Work => Count == 0 || MinIdleMs != 0 ? long.MaxValue : Count;

    /// <summary>Reads them, or replies with an error.</summary>
    public bool TryParse(in RespRequest request, RespReplyWriter reply)
    {
        if (request.Count is < ArgumentsMin or > ArgumentsMax)
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        int first = 3;
        if (request[first].Is("IDLE"u8))
        {
            if (!TryParseNumber(request[4], reply, out long idle))
                return false;
            if (request.Count < ArgumentsWithIdle)
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }

            MinIdleMs = idle;
            first += 2;
        }

        if (!TryParseNumber(request[first + 2], reply, out long count)
            || !StreamReadCommands.TryParseFrom(request[first], reply, out var from)
            || !StreamReadCommands.TryParseTo(request[first + 1], reply, out var to))
        {
            return false;
        }

        (From, To, Count) = (from, to, Math.Max(0, count));
        Consumer = first + 3 < request.Count ? first + 3 : 0;
        return true;
    }

    private static bool TryParseNumber(ReadOnlySpan<byte> text, RespReplyWriter reply, out long number)
    {
        bool isNumber = RespInteger.TryParse(text, out number);
        if (!isNumber)
            reply.Error(ErrorTexts.NotAnInteger);
        return isNumber;
    }
}
