namespace Cache.Server.Commands.Administration;

/// <summary>The timeout of a command that waits.</summary>
internal static class WaitTimeout
{
    /// <summary>0 means no timeout; so does a time longer than any timer accepts.</summary>
    public static TimeSpan Of(long timeoutMs) =>
        timeoutMs is 0 or > int.MaxValue ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(timeoutMs);
}
