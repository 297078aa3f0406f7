using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>The form of what XREAD and XREADGROUP reply: streams with their entries.</summary>
internal static class ReadReply
{
    public static void Begin(RespReplyWriter reply, int streams)
    {
        if (reply.IsResp3)
            reply.MapHeader(streams);
        else
            reply.ArrayHeader(streams);
    }

    /// <summary>Its entries follow, as an array.</summary>
    public static void BeginStream(RespReplyWriter reply, ReadOnlySpan<byte> key)
    {
        if (!reply.IsResp3)
            reply.ArrayHeader(2);
        reply.Bulk(key);
    }
}
