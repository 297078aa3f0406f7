using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>LEFT or RIGHT.</summary>
internal static class ListEndName
{
    /// <summary>Replies with an error if it is neither.</summary>
    public static bool TryParse(ReadOnlySpan<byte> name, RespReplyWriter reply, out ListEnd end)
    {
        end = name.Is("LEFT"u8) ? ListEnd.Left : ListEnd.Right;
        if (end == ListEnd.Left || name.Is("RIGHT"u8))
            return true;
        reply.Error(ErrorTexts.Syntax);
        return false;
    }
}
