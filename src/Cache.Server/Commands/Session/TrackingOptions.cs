using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Tracking;

namespace Cache.Server.Commands.Session;

/// <summary>The options of CLIENT TRACKING.</summary>
internal struct TrackingOptions
{
    // Of a client; each is compared with each other: some 0.3 ms.
    private const int PrefixesMax = 256;
    private const int PrefixBytesMax = 64 * 1024;

    private long _redirection;
    private int _prefixCount;
    private int _prefixBytes;
    private List<byte[]>? _prefixes;

    public TrackingModes Modes { get; private set; }

    /// <summary>The number of the client that is told instead; 0: the client itself.</summary>
    public readonly long Redirection => _redirection;

    public readonly IReadOnlyList<byte[]> Prefixes => _prefixes ?? [];

    /// <summary>Reads them, or replies with an error.</summary>
    public bool TryRead(in RespRequest request, CommandContext context)
    {
        foreach (byte[] prefix in context.Client.Tracking?.Prefixes ?? [])
        {
            _prefixCount++;
            _prefixBytes += prefix.Length;
        }

        for (int i = 3; i < request.Count; i++)
        {
            bool hasNext = i + 1 < request.Count;
            if (request[i].Is("REDIRECT"u8) && hasNext)
            {
                if (!TryReadRedirection(request[++i], context))
                    return false;
            }
            else if (request[i].Is("BCAST"u8))
            {
                Modes |= TrackingModes.Broadcast;
            }
            else if (request[i].Is("OPTIN"u8))
            {
                Modes |= TrackingModes.OptIn;
            }
            else if (request[i].Is("OPTOUT"u8))
            {
                Modes |= TrackingModes.OptOut;
            }
            else if (request[i].Is("NOLOOP"u8))
            {
                Modes |= TrackingModes.NoLoop;
            }
            else if (!request[i].Is("PREFIX"u8) || !hasNext)
            {
                context.Reply.Error(ErrorTexts.Syntax);
                return false;
            }
            else if (!TryAddPrefix(request[++i]))
            {
                context.Reply.Error("ERR too many prefixes, or too long ones"u8);
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// The error of prefixes that overlap with one another, or with those that the client has; else empty.
    /// </summary>
    public readonly ReadOnlySpan<byte> FindOverlap(ClientTracking? present)
    {
        for (int i = 0; i < Prefixes.Count; i++)
        {
            byte[] prefix = Prefixes[i];
            foreach (byte[] other in present?.Prefixes ?? [])
            {
                if (Overlap(prefix, other))
                    return Error(prefix, "overlaps with an existing prefix"u8, other);
            }

            for (int next = i + 1; next < Prefixes.Count; next++)
            {
                if (Overlap(prefix, Prefixes[next]))
                    return Error(prefix, "overlaps with another provided prefix"u8, Prefixes[next]);
            }
        }

        return default;
    }

    /// <summary>What the client is told with these options, and with the prefixes that it has.</summary>
    public readonly ClientTracking Apply(ClientTracking? present)
    {
        List<byte[]> prefixes = [.. present?.Prefixes ?? []];
        if ((Modes & TrackingModes.Broadcast) == 0)
            prefixes.Clear();
        else if (Prefixes.Count > 0)
            prefixes.AddRange(Prefixes);
        else if (prefixes.Count == 0 || prefixes[0].Length > 0)
            prefixes.Add([]);
        prefixes.Sort(static (one, other) => one.AsSpan().SequenceCompareTo(other));
        return new ClientTracking(Modes, _redirection, prefixes, present?.Ticket ?? new TrackingTicket())
        {
            IsCachingGiven = present?.IsCachingGiven == true,
        };
    }

    private static bool Overlap(ReadOnlySpan<byte> one, ReadOnlySpan<byte> other) =>
        one.StartsWith(other) || other.StartsWith(one);

    private static byte[] Error(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> reason, ReadOnlySpan<byte> other) =>
    [
        .. "ERR Prefix '"u8, .. prefix.UpToNul(), .. "' "u8, .. reason, .. " '"u8, .. other.UpToNul(),
        .. "'. Prefixes for a single client must not overlap."u8,
    ];

    private bool TryReadRedirection(ReadOnlySpan<byte> text, CommandContext context)
    {
        if (_redirection != 0)
            context.Reply.Error("ERR A client can only redirect to a single other client"u8);
        else if (!RespInteger.TryParse(text, out _redirection))
            context.Reply.Error(ErrorTexts.NotAnInteger);
        else if (context.Server.Clients.Find(_redirection) is null)
            context.Reply.Error("ERR The client ID you want redirect to does not exist"u8);
        else
            return true;
        return false;
    }

    private bool TryAddPrefix(ReadOnlySpan<byte> prefix)
    {
        if (++_prefixCount > PrefixesMax || prefix.Length > PrefixBytesMax - _prefixBytes)
            return false;
        _prefixBytes += prefix.Length;
        (_prefixes ??= []).Add(prefix.ToArray());
        return true;
    }
}
