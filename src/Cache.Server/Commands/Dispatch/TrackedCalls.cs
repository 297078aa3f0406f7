using System.Runtime.CompilerServices;
using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Tracking;

namespace Cache.Server.Commands.Dispatch;

/// <summary>What CLIENT TRACKING does around each call of a client that uses it.</summary>
internal static class TrackedCalls
{
    /// <summary>Remembers the keys that a call is about to read, and who writes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Only for these clients.
    public static void Begin(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (context.Client is not { Tracking: { } tracking } client)
            return;
        KeyTracking.Writer = tracking.Has(TrackingModes.NoLoop) ? client.Id : 0;
        if ((command.Flags & CommandFlags.ReadOnly) == 0 || !tracking.RemembersReads)
            return;
        var keys = new KeyEnumerator(command, request, 0);
        while (keys.MoveNext())
            context.Server.Tracking.Remember(client, request[keys.Index]);
    }

    /// <summary>Ends what <see cref="Begin"/> began.</summary>
    public static void End() => KeyTracking.Writer = 0;

    /// <summary>CLIENT CACHING is about the next command or transaction only, which is not one of CLIENT.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Only for these clients.
    public static void EndCaching(CommandDefinition? command, ClientSession client)
    {
        if (client is { IsQueueing: false, Tracking: { IsCachingGiven: true } tracking }
            && command?.Name.StartsWith("client|", StringComparison.Ordinal) != true)
        {
            tracking.IsCachingGiven = false;
        }
    }
}
