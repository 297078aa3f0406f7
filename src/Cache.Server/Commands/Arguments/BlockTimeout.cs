using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The timeout of a blocking command: seconds with a fraction; 0 means no end.</summary>
internal static class BlockTimeout
{
    private const double MsPerSecond = 1000;

    // Longer than any timer accepts: a hundred years are no end either.
    private const long SecondsMax = 100L * 365 * 86_400;
    private const double MsMax = SecondsMax * MsPerSecond;

    // The first number of milliseconds that a signed number of 64 bits does not have.
    private const double MsEnd = 9223372036854775808.0;

    /// <summary>Reads a timeout as Redis does, which rounds up to a millisecond.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, RespReplyWriter reply, out TimeSpan timeout)
    {
        timeout = Timeout.InfiniteTimeSpan;
        if (!TryReadMilliseconds(text, out double milliseconds))
        {
            reply.Error("ERR timeout is not a float or out of range"u8);
            return false;
        }

        if (milliseconds < 0 || milliseconds >= MsEnd) // Redis's own text for what it cannot convert.
        {
            reply.Error("ERR timeout is negative"u8);
            return false;
        }

        if (milliseconds is > 0 and < MsMax)
            timeout = TimeSpan.FromMilliseconds(milliseconds);
        return true;
    }

    private static bool TryReadMilliseconds(ReadOnlySpan<byte> text, out double milliseconds)
    {
        // Exactly, for numbers that a double would round.
        if (RespInteger.TryParse(text, out long whole))
        {
            milliseconds = whole is >= 0 and <= long.MaxValue / 1000 ? Math.Min(whole, SecondsMax) * MsPerSecond : -1;
            return true;
        }

        milliseconds = 0;
        if (!ExtendedFloat.TryParse(text, out var number))
            return false;
        double seconds = number.ToDouble();
        bool isNegative = text[0] == (byte)'-';
        if (isNegative && number.IsInfinite)
            seconds = double.NegativeInfinity;
        else if (seconds == 0 && !isNegative && number != default)
            seconds = 1 / MsPerSecond; // It has more digits than a double: still some time.
        milliseconds = Math.Ceiling(seconds * MsPerSecond);
        return true;
    }
}
