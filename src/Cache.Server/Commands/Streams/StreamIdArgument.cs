using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>Ids of streams as Redis reads them.</summary>
internal static class StreamIdArgument
{
    // What is longer is no id to Redis.
    private const int LengthMax = 127;

    /// <summary>Reads an id, also "-" for the least and "+" for the greatest one; or replies with an error.</summary>
    /// <param name="text">The argument.</param>
    /// <param name="missingSequence">The sequence number of one without.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="id">The id.</param>
    public static bool TryParse(
        ReadOnlySpan<byte> text, ulong missingSequence, RespReplyWriter reply, out StreamId id) =>
        Check(TryParse(text, missingSequence, isStrict: false, mayBeMade: false, out id, out _), reply);

    /// <summary>The same, without "-" and "+".</summary>
    public static bool TryParseStrict(ReadOnlySpan<byte> text, RespReplyWriter reply, out StreamId id) =>
        Check(TryParse(text, 0, isStrict: true, mayBeMade: false, out id, out _), reply);

    /// <summary>The same, without a reply.</summary>
    public static bool TryParseStrict(ReadOnlySpan<byte> text, out StreamId id) =>
        TryParse(text, 0, isStrict: true, mayBeMade: false, out id, out _);

    /// <summary>The same, where the sequence number may be "*".</summary>
    public static bool TryParseNew(
        ReadOnlySpan<byte> text, RespReplyWriter reply, out StreamId id, out bool makesSequence) =>
        Check(TryParse(text, 0, isStrict: true, mayBeMade: true, out id, out makesSequence), reply);

    /// <summary>Reads an end of a range, which "(" excludes; or replies with an error.</summary>
    public static bool TryParseEnd(
        ReadOnlySpan<byte> text, ulong missingSequence, RespReplyWriter reply, out StreamId id, out bool isExcluded)
    {
        isExcluded = text.Length > 1 && text[0] == '(';
        return isExcluded
            ? Check(TryParse(text[1..], missingSequence, isStrict: true, mayBeMade: false, out id, out _), reply)
            : TryParse(text, missingSequence, reply, out id);
    }

    /// <summary>Writes an id as a bulk string.</summary>
    public static void Id(this RespReplyWriter reply, StreamId id)
    {
        Span<byte> text = stackalloc byte[41];
        id.Milliseconds.TryFormat(text, out int length);
        text[length++] = (byte)'-';
        id.Sequence.TryFormat(text[length..], out int more);
        reply.Bulk(text[..(length + more)]);
    }

    private static bool Check(bool isId, RespReplyWriter reply)
    {
        if (!isId)
            reply.Error("ERR Invalid stream ID specified as stream command argument"u8);
        return isId;
    }

    private static bool TryParse(
        ReadOnlySpan<byte> text, ulong missingSequence, bool isStrict, bool mayBeMade, out StreamId id,
        out bool makesSequence)
    {
        (id, makesSequence) = (default, false);
        if (text.Length > LengthMax)
            return false;
        text = text.UpToNul();
        if (text is [(byte)'-'] or [(byte)'+'])
        {
            id = text[0] == '-' ? StreamId.Zero : StreamId.Max;
            return !isStrict;
        }

        int dash = text.IndexOf((byte)'-');
        if (!TryParseNumber(dash < 0 ? text : text[..dash], out ulong milliseconds))
            return false;
        ulong sequence = missingSequence;
        if (dash >= 0)
        {
            var rest = text[(dash + 1)..];
            makesSequence = mayBeMade && rest is [(byte)'*'];
            sequence = 0;
            if (!makesSequence && !TryParseNumber(rest, out sequence))
                return false;
        }

        id = new StreamId(milliseconds, sequence);
        return true;
    }

    // Redis's string2ull: an integer, else what strtoull takes: blanks, a sign and digits.
    private static bool TryParseNumber(ReadOnlySpan<byte> text, out ulong number)
    {
        number = 0;
        if (RespInteger.TryParse(text, out long integer))
        {
            number = (ulong)integer;
            return integer >= 0;
        }

        text = text.TrimStart(" \t\n\v\f\r"u8);
        bool isNegative = text is [(byte)'-', ..];
        if (text is [(byte)'-' or (byte)'+', ..])
            text = text[1..];
        if (text.IsEmpty)
            return false;
        foreach (byte digit in text)
        {
            if (digit is < (byte)'0' or > (byte)'9')
                return false;
            ulong value = (ulong)(digit - '0');
            if (number > (ulong.MaxValue - value) / 10)
                return false;
            number = number * 10 + value;
        }

        if (isNegative)
            number = unchecked(0 - number);
        return true;
    }
}
