using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>Converts a client's time argument to the moment at which fields expire.</summary>
internal static class FieldMomentArgument
{
    private const long MsPerSecond = 1_000;

    /// <param name="argument">The argument.</param>
    /// <param name="unit">What it is.</param>
    /// <param name="command">The command's name.</param>
    /// <param name="store">The store, for its clock.</param>
    /// <param name="unixMs">The moment; at least 1.</param>
    /// <param name="error">Why there is none; else empty.</param>
    public static bool TryParse(
        ReadOnlySpan<byte> argument, ExpireUnit unit, ReadOnlySpan<byte> command, CacheStore store, out long unixMs,
        out ReadOnlySpan<byte> error)
    {
        unixMs = 0;
        error = default;
        bool isRelative = unit is ExpireUnit.Seconds or ExpireUnit.Milliseconds;
        long scale = unit is ExpireUnit.Seconds or ExpireUnit.UnixSeconds ? MsPerSecond : 1;
        long startMs = isRelative ? store.NowUnixMs : 0;
        if (!RespInteger.TryParse(argument, out long time))
            error = ErrorTexts.NotAnInteger;
        else if (time < 0)
            error = "ERR invalid expire time, must be >= 0"u8;
        else if (time > HashKey.LastExpiryUnixMs / scale || time * scale > HashKey.LastExpiryUnixMs - startMs)
            error = (byte[])[.. "ERR invalid expire time in '"u8, .. command, .. "' command"u8];
        else
            unixMs = Math.Max(1, time * scale + startMs);
        return error.IsEmpty;
    }

    /// <summary>The unit of an option: EX, PX, EXAT or PXAT.</summary>
    public static bool TryGetUnit(ReadOnlySpan<byte> option, out ExpireUnit unit)
    {
        unit = default;
        if (option.Is("EX"u8))
            unit = ExpireUnit.Seconds;
        else if (option.Is("PX"u8))
            unit = ExpireUnit.Milliseconds;
        else if (option.Is("EXAT"u8))
            unit = ExpireUnit.UnixSeconds;
        else if (option.Is("PXAT"u8))
            unit = ExpireUnit.UnixMilliseconds;
        else
            return false;
        return true;
    }
}
