using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Session;

/// <summary>CLIENT TRACKING, CACHING, TRACKINGINFO and GETREDIR.</summary>
internal static class TrackingCommands
{
    private const TrackingModes Opts = TrackingModes.OptIn | TrackingModes.OptOut;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("client|tracking", Track),
        new("client|caching", Cache),
        new("client|trackinginfo", Info),
        new("client|getredir", GetRedirection),
    ];

    // CLIENT TRACKING ON | OFF [REDIRECT id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]
    private static void Track(in RespRequest request, CommandContext context)
    {
        var client = context.Client;
        var options = default(TrackingOptions);
        if (!options.TryRead(request, context))
            return;
        bool isOn = request[2].Is("ON"u8);
        if (!isOn && !request[2].Is("OFF"u8))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (isOn)
        {
            if (FindConflict(options, client.Tracking) is { Length: > 0 } error)
            {
                context.Reply.Error(error);
                return;
            }

            context.OpenOutbox();
            context.Server.Clients.Find(options.Redirection)
                ?.OpenOutboxFromOutside(context.Server.ClientMemory);
            context.Server.Tracking.Enable(client, options.Apply(client.Tracking));
        }
        else
        {
            context.Server.Tracking.Disable(client);
        }

        context.Reply.Ok();
    }

    // In Redis's order.
    private static ReadOnlySpan<byte> FindConflict(in TrackingOptions options, ClientTracking? present)
    {
        var modes = options.Modes;
        bool isBroadcast = (modes & TrackingModes.Broadcast) != 0;
        if (!isBroadcast && options.Prefixes.Count > 0)
            return "ERR PREFIX option requires BCAST mode to be enabled"u8;
        if (present is not null && present.IsBroadcast != isBroadcast)
        {
            return "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then "u8
                + "re-enabling it with a different mode."u8;
        }

        if (isBroadcast && (modes & Opts) != 0)
            return "ERR OPTIN and OPTOUT are not compatible with BCAST"u8;
        if ((modes & Opts) == Opts)
            return "ERR You can't specify both OPTIN mode and OPTOUT mode"u8;
        if (present is not null && (modes & Opts) != 0 && present.Has(Opts & ~modes))
        {
            return "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then "u8
                + "re-enabling it with a different mode."u8;
        }

        return isBroadcast ? options.FindOverlap(present) : default;
    }

    // CLIENT CACHING YES | NO
    private static void Cache(in RespRequest request, CommandContext context)
    {
        bool isYes = request[2].Is("YES"u8);
        if (context.Client.Tracking is not { } tracking)
            context.Reply.Error(
                "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode "u8
                + "enabled"u8);
        else if (!isYes && !request[2].Is("NO"u8))
            context.Reply.Error(ErrorTexts.Syntax);
        else if (isYes && !tracking.Has(TrackingModes.OptIn))
            context.Reply.Error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."u8);
        else if (!isYes && !tracking.Has(TrackingModes.OptOut))
            context.Reply.Error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."u8);
        else
        {
            tracking.IsCachingGiven = true;
            context.Reply.Ok();
        }
    }

    // CLIENT GETREDIR
    private static void GetRedirection(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(context.Client.Tracking?.Redirection ?? -1);

    // CLIENT TRACKINGINFO
    private static void Info(in RespRequest request, CommandContext context)
    {
        var reply = context.Reply;
        var tracking = context.Client.Tracking;
        reply.MapHeader(3);
        reply.Bulk("flags"u8);
        var flags = FlagsOf(tracking);
        reply.SetHeader(flags.Count);
        foreach (byte[] flag in flags)
            reply.Bulk(flag);
        reply.Bulk("redirect"u8);
        reply.Integer(tracking?.Redirection ?? -1);
        reply.Bulk("prefixes"u8);
        reply.ArrayHeader(tracking?.Prefixes.Count ?? 0);
        for (int i = 0; i < tracking?.Prefixes.Count && !context.IsReplyOverLimit; i++)
            reply.Bulk(tracking.Prefixes[i]);
    }

    private static List<byte[]> FlagsOf(ClientTracking? tracking)
    {
        if (tracking is null)
            return ["off"u8.ToArray()];
        List<byte[]> flags = ["on"u8.ToArray()];
        Add("bcast"u8, tracking.IsBroadcast);
        Add("optin"u8, tracking.Has(TrackingModes.OptIn));
        Add("caching-yes"u8, tracking.Has(TrackingModes.OptIn) && tracking.IsCachingGiven);
        Add("optout"u8, tracking.Has(TrackingModes.OptOut));
        Add("caching-no"u8, tracking.Has(TrackingModes.OptOut) && tracking.IsCachingGiven);
        Add("noloop"u8, tracking.Has(TrackingModes.NoLoop));
        Add("broken_redirect"u8, tracking.IsRedirectionBroken);
        return flags;

        void Add(ReadOnlySpan<byte> name, bool isSet)
        {
            if (isSet)
                flags.Add(name.ToArray());
        }
    }
}
