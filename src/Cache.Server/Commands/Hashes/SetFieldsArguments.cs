using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>The options of HSETEX, up to its fields.</summary>
internal static class SetFieldsArguments
{
    /// <param name="request">The request.</param>
    /// <param name="context">Receives the error.</param>
    /// <param name="options">The options.</param>
    /// <param name="first">The index of the first field; values and fields in turn follow to the end.</param>
    public static bool TryParse(in RespRequest request, CommandContext context, out FieldOptions options, out int first)
    {
        options = default;
        first = 0;
        bool hasExpiry = false;
        for (int i = 2; i < request.Count; i++)
        {
            var option = request[i];
            if (option.Is("FIELDS"u8))
                return TryFindFields(request, i, context.Reply, out first);
            bool isTime = FieldMomentArgument.TryGetUnit(option, out var unit);
            ReadOnlySpan<byte> error = default;
            if (isTime || option.Is("KEEPTTL"u8))
            {
                if (hasExpiry)
                    error = "ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified"u8;
                else if (isTime && i == request.Count - 1)
                    error = "ERR missing expire time"u8;
                else if (!isTime)
                    options = options with { KeepsExpiry = true };
                else if (FieldMomentArgument.TryParse(
                    request[++i], unit, "hsetex"u8, context.Store, out long unixMs, out error))
                {
                    options = options with { ExpiresAtUnixMs = unixMs };
                }

                hasExpiry = true;
            }
            else if (!TryTakeCondition(option, ref options, out error))
            {
                error = error.IsEmpty
                    ? (byte[])[.. "ERR unknown argument: "u8, .. option.UpToNul().TrimEnd("\r\n"u8)]
                    : error;
            }

            if (!error.IsEmpty)
            {
                context.Reply.Error(error);
                return false;
            }
        }

        context.Reply.WrongArgumentCount("hsetex"u8); // Redis ends here.
        return false;
    }

    private static bool TryTakeCondition(
        scoped ReadOnlySpan<byte> option, scoped ref FieldOptions options, out ReadOnlySpan<byte> error)
    {
        error = default;
        bool mustExist = option.Is("FXX"u8);
        if (!mustExist && !option.Is("FNX"u8))
            return false;
        if (options.Condition != SetCondition.Always)
        {
            error = "ERR Only one of FXX or FNX arguments can be specified"u8;
            return false;
        }

        options = options with { Condition = mustExist ? SetCondition.IfPresent : SetCondition.IfAbsent };
        return true;
    }

    private static bool TryFindFields(in RespRequest request, int at, RespReplyWriter reply, out int first)
    {
        first = at + 2;
        if (at >= request.Count - 3)
            reply.WrongArgumentCount("hsetex"u8);
        else if (!RespInteger.TryParse(request[at + 1], out long count) || count is < 1 or > int.MaxValue)
            reply.Error("ERR invalid number of fields"u8);
        else if ((request.Count - first) % 2 != 0 || count != (request.Count - first) / 2)
            reply.WrongArgumentCount("hsetex"u8);
        else
            return true;
        return false;
    }
}
