using System.Runtime.CompilerServices;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Logs calls whose requests or replies are large: COMMANDLOG.</summary>
internal static class LargeCalls
{
    /// <summary>Logs a call where its bytes exceed a limit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    public static void Note(
        CommandDefinition command, in RespRequest request, long replyBytes, CommandContext context) =>
        Note(RequestExcerpt.Of(command, request, context.LongArgument), request.Length, replyBytes, context);

    /// <summary>Logs a call where its bytes exceed a limit.</summary>
    /// <param name="arguments">What is kept of the request.</param>
    /// <param name="requestBytes">The length of the request.</param>
    /// <param name="replyBytes">The length of its reply.</param>
    /// <param name="context">The client that sent it.</param>
    public static void Note(byte[][] arguments, long requestBytes, long replyBytes, CommandContext context)
    {
        var server = context.Server;
        var settings = server.Settings;
        var client = context.Client;
        var request = new SlowRequest(
            server.UnixSeconds, requestBytes, arguments, client.EndPoints.Remote, client.Name);
        if (Exceeds(requestBytes, settings.LargeRequestBytes))
            server.LargeRequests.Add(request, settings.LargeRequestLengthMax);
        if (Exceeds(replyBytes, settings.LargeReplyBytes))
            server.LargeReplies.Add(request with { Value = replyBytes }, settings.LargeReplyLengthMax);
    }

    private static bool Exceeds(long bytes, long limit) => limit >= 0 && bytes >= limit;
}
