using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Popping;

/// <summary>The arguments of LMPOP, ZMPOP, and their blocking forms.</summary>
internal static class PopArguments
{
    /// <summary>Reads numkeys key [key ...] word [COUNT count], from an argument to the last one.</summary>
    /// <remarks>first: The index of numkeys. isLast: Whether it is the second word.</remarks>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse<TPop>(
        in RespRequest request, int first, RespReplyWriter reply, out RequestSlice keys, out bool isLast,
        out long count)
        where TPop : struct, IPop<TPop>
    {
        keys = default;
        isLast = false;
        count = 1;
        if (!RespInteger.TryParse(request[first], out long number) || number < 1)
        {
            reply.Error("ERR numkeys should be greater than 0"u8);
            return false;
        }

        if (number >= request.Count - first - 1)
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        keys = new RequestSlice(request, first + 1, (int)number);
        int next = first + 1 + keys.Count;
        isLast = request[next].Is(TPop.LastWord);
        if (isLast || request[next].Is(TPop.FirstWord))
            return TryParseCount(request, next + 1, reply, out count);
        reply.Error(ErrorTexts.Syntax);
        return false;
    }

    // Redis reads the first count before it meets a second one.
    private static bool TryParseCount(in RespRequest request, int first, RespReplyWriter reply, out long count)
    {
        count = 1;
        if (request.Count == first)
            return true;
        if (request.Count == first + 1 || !request[first].Is("COUNT"u8))
        {
            reply.Error(ErrorTexts.Syntax);
            return false;
        }

        if (!RespInteger.TryParse(request[first + 1], out count) || count < 1)
            reply.Error("ERR count should be greater than 0"u8);
        else if (request.Count > first + 2)
            reply.Error(ErrorTexts.Syntax);
        else
            return true;
        return false;
    }
}
