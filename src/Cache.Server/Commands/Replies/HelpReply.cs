using System.Text;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>The reply of a container's HELP.</summary>
internal static class HelpReply
{
    /// <summary>An array of lines.</summary>
    public static void Help(this RespReplyWriter reply, string[] lines)
    {
        reply.ArrayHeader(lines.Length);
        foreach (string line in lines)
            reply.SimpleString(Encoding.ASCII.GetBytes(line));
    }
}
