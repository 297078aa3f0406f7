using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>Keys whose number stands before them, as in SINTERCARD numkeys key key.</summary>
internal static class NumberedKeys
{
    /// <param name="request">The request.</param>
    /// <param name="index">The index of the number.</param>
    /// <param name="name">What an error calls it.</param>
    /// <param name="reply">Receives the error.</param>
    /// <param name="keys">The keys.</param>
    public static bool TryParse(
        in RespRequest request, int index, ReadOnlySpan<byte> name, RespReplyWriter reply, out RequestSlice keys)
    {
        keys = default;
        if (!RespInteger.TryParse(request[index], out long count) || count < 1)
        {
            reply.Error([.. "ERR "u8, .. name, .. " should be greater than 0"u8]);
            return false;
        }

        if (count > request.Count - index - 1)
        {
            reply.Error("ERR Number of keys can't be greater than number of args"u8);
            return false;
        }

        keys = new RequestSlice(request, index + 1, (int)count);
        return true;
    }
}
