using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>The reply of HSCAN and its like.</summary>
internal static class ScanReply
{
    /// <summary>Writes the next cursor and what was found; an error if that is too long for a reply.</summary>
    /// <param name="cursor">The cursor.</param>
    /// <param name="found">What was found; null: nothing.</param>
    /// <param name="reply">The reply.</param>
    public static void Write(ulong cursor, ByteStringList? found, RespReplyWriter reply)
    {
        if (found is { IsTooLong: true })
        {
            found.WriteTo(reply);
            return;
        }

        reply.ArrayHeader(2);
        reply.BulkInteger((long)cursor);
        if (found is null)
            reply.ArrayHeader(0);
        else
            found.WriteTo(reply);
    }
}
