using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Finds out what a string is, and replies if it is no HyperLogLog.</summary>
internal static class HllFaults
{
    public static HllFault Of(ReadOnlySpan<byte> text) =>
        !HllFormat.HasHeader(text) ? HllFault.OtherString
        : !HllFormat.IsWhole(text) ? HllFault.Damaged
        : HllFault.None;

    public static void Refuse(this RespReplyWriter reply, HllFault fault) => reply.Error(fault switch
    {
        HllFault.OtherKind => ErrorTexts.WrongType,
        HllFault.OtherString => "WRONGTYPE Key is not a valid HyperLogLog string value."u8,
        _ => "INVALIDOBJ Corrupted HLL object detected"u8,
    });
}
