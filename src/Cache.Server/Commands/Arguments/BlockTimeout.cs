using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The timeout of a blocking command: seconds with a fraction; 0 means no end.</summary>
internal static class BlockTimeout
{
    private const double MsPerSecond = 1000;

    // Longer than any timer accepts: a hundred years are no end either.
    private const double MsMax = 100 * 365.0 * 86_400 * MsPerSecond;

    // The first number of milliseconds that a signed number of 64 bits does not have.
    private const double MsEnd = 9223372036854775808.0;

    /// <summary>Reads a timeout as Redis does, which rounds up to a millisecond.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, RespReplyWriter reply, out TimeSpan timeout)
    {
        timeout = Timeout.InfiniteTimeSpan;
        if (!TryReadSeconds(text, out double seconds))
        {
            reply.Error("ERR timeout is not a float or out of range"u8);
            return false;
        }

        double milliseconds = Math.Ceiling(seconds * MsPerSecond);
        if (milliseconds < 0 || milliseconds >= MsEnd) // Redis's own text for what it cannot convert.
        {
            reply.Error("ERR timeout is negative"u8);
            return false;
        }

        if (milliseconds is > 0 and < MsMax)
            timeout = TimeSpan.FromMilliseconds(milliseconds);
        return true;
    }

    private static bool TryReadSeconds(ReadOnlySpan<byte> text, out double seconds)
    {
        bool isInteger = RespInteger.TryParse(text, out long whole);
        seconds = whole;
        if (isInteger)
            return true;
        if (!ExtendedFloat.TryParse(text, out var number))
            return false;
        seconds = number.ToDouble();
        bool isNegative = text[0] == (byte)'-';
        if (isNegative && number.IsInfinite)
            seconds = double.NegativeInfinity;
        else if (seconds == 0 && !isNegative && number != default)
            seconds = double.Epsilon * MsPerSecond; // It has more digits than a double: still some time.
        return true;
    }
}
