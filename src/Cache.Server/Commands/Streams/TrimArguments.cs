using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The options of XADD and XTRIM, in the order of Redis's checks.</summary>
internal ref struct TrimArguments
{
    private const int First = 2;

    // How many entries go at most where "~" has no limit: a hundred of Redis's nodes.
    private const long DefaultLimit = 10_000;

    private bool _hasLimit;
    private long _limit;

    /// <summary>What goes; null: nothing.</summary>
    public StreamTrim? Trim { get; private set; }

    /// <summary>The id of XADD; null: it is made.</summary>
    public StreamId? Id { get; private set; }

    /// <summary>Whether its sequence number is made.</summary>
    public bool MakesSequence { get; private set; }

    /// <summary>Whether an absent stream stays absent.</summary>
    public bool IfPresent { get; private set; }

    /// <summary>Where the id is.</summary>
    public int IdIndex { get; private set; }

    /// <summary>Reads the options, or replies with an error.</summary>
    public bool TryParse(in RespRequest request, bool isAdd, RespReplyWriter reply)
    {
        int i = First;
        for (; i < request.Count; i++)
        {
            bool hasMore = i + 1 < request.Count;
            var option = request[i];
            if (isAdd && option is [(byte)'*'])
                break;
            if (hasMore && option.Is("MAXLEN"u8) || hasMore && option.Is("MINID"u8))
            {
                if (!TryParseTrim(request, ref i, isLength: option.Is("MAXLEN"u8), reply))
                    return false;
            }
            else if (hasMore && option.Is("LIMIT"u8))
            {
                if (!TryParseLimit(request[++i], reply))
                    return false;
            }
            else if (isAdd && option.Is("NOMKSTREAM"u8))
            {
                IfPresent = true;
            }
            else if (isAdd)
            {
                if (!StreamIdArgument.TryParseNew(option, reply, out var id, out bool makesSequence))
                    return false;
                (Id, MakesSequence) = (id, makesSequence);
                break;
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }
        }

        IdIndex = i;
        return Complete(isAdd, reply);
    }

    private bool TryParseTrim(in RespRequest request, ref int i, bool isLength, RespReplyWriter reply)
    {
        if (Trim is not null)
        {
            reply.Error("ERR syntax error, MAXLEN and MINID options at the same time are not compatible"u8);
            return false;
        }

        bool isApproximate = false;
        if (i + 2 < request.Count && request[i + 1] is [(byte)'~'] or [(byte)'='])
        {
            isApproximate = request[i + 1][0] == '~';
            i++;
        }

        i++;
        var trim = new StreamTrim { IsApproximate = isApproximate };
        if (!isLength)
        {
            if (!StreamIdArgument.TryParseStrict(request[i], reply, out var id))
                return false;
            Trim = trim with { MinId = id };
            return true;
        }

        if (!RespInteger.TryParse(request[i], out long length))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        if (length < 0)
        {
            reply.Error("ERR The MAXLEN argument must be >= 0."u8);
            return false;
        }

        Trim = trim with { MaxLength = length };
        return true;
    }

    private bool TryParseLimit(ReadOnlySpan<byte> argument, RespReplyWriter reply)
    {
        if (!RespInteger.TryParse(argument, out _limit))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return false;
        }

        if (_limit < 0)
        {
            reply.Error("ERR The LIMIT argument must be >= 0."u8);
            return false;
        }

        _hasLimit = true;
        return true;
    }

    private bool Complete(bool isAdd, RespReplyWriter reply)
    {
        if (Trim is not { } trim)
        {
            if (_limit != 0)
                reply.Error("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy"u8);
            else if (!isAdd)
                reply.Error("ERR syntax error, XTRIM must be called with a trimming strategy"u8);
            return _limit == 0 && isAdd;
        }

        if (_hasLimit && !trim.IsApproximate)
        {
            reply.Error("ERR syntax error, LIMIT cannot be used without the special ~ option"u8);
            return false;
        }

        long limit = _hasLimit ? _limit : trim.IsApproximate ? DefaultLimit : 0;
        Trim = trim with { Limit = limit };
        return true;
    }
}
