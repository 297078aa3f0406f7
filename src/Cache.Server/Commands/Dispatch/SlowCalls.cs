using System.Runtime.CompilerServices;
using Cache.Server.Commands.Table;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Logs calls that took long: SLOWLOG, and the events of LATENCY.</summary>
internal static class SlowCalls
{
    private const long MicrosecondsPerMillisecond = 1000;

    /// <summary>Logs a call where its duration exceeds the limits.</summary>
    /// <param name="command">The command.</param>
    /// <param name="arguments">What is kept of the request.</param>
    /// <param name="ticks">How long it was executed.</param>
    /// <param name="context">The client that sent it.</param>
    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    public static void Note(CommandDefinition command, byte[][] arguments, long ticks, CommandContext context)
    {
        if ((command.Flags & CommandFlags.SkipSlowLog) != 0)
            return; // The commands of a transaction are told one by one.
        var server = context.Server;
        var settings = server.Settings;
        long microseconds = (long)(ticks / server.TicksPerMicrosecond);
        long unixSeconds = server.UnixSeconds;
        if (settings.SlowLogMicroseconds >= 0 && microseconds >= settings.SlowLogMicroseconds)
        {
            var request = new SlowRequest(
                unixSeconds, microseconds, arguments, context.Client.EndPoints.Remote, context.Client.Name);
            server.SlowLog.Add(request, settings.SlowLogLengthMax);
        }

        long milliseconds = microseconds / MicrosecondsPerMillisecond;
        if (settings.LatencyThresholdMs > 0 && milliseconds >= settings.LatencyThresholdMs)
        {
            string cause = (command.Flags & CommandFlags.Fast) != 0 ? "fast-command" : "command";
            server.LatencyEvents.Add(cause, unixSeconds, milliseconds);
        }
    }
}
