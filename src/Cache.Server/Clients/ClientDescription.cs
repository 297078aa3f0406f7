using System.Globalization;
using System.Text;
using Cache.Server.Security;

namespace Cache.Server.Clients;

/// <summary>
/// A client as a line of CLIENT LIST, with the fields of Redis 7.0 and, behind them, of Valkey 8.1; fields
/// without a meaning here are 0.
/// </summary>
/// <remarks>Latin-1: one char per byte, since a user's name may have any bytes.</remarks>
internal static class ClientDescription
{
    /// <summary>The line with its end.</summary>
    /// <param name="client">The client.</param>
    /// <param name="nowMs">Unix milliseconds of the store's clock.</param>
    public static string Of(ClientSession client, long nowMs)
    {
        var text = new StringBuilder();
        Append(text, client, nowMs);
        return text.ToString();
    }

    /// <summary>Appends the line with its end.</summary>
    public static void Append(StringBuilder text, ClientSession client, long nowMs)
    {
        var culture = CultureInfo.InvariantCulture;
        string remote = AclText.FromOption(client.EndPoints.Remote); // The path of a Unix socket may be any text.
        string local = AclText.FromOption(client.EndPoints.Local);
        var transaction = client.Transaction;
        int queued = client.IsQueueing ? transaction?.QueuedCount ?? 0 : -1;
        long memory = Math.Max(client.HeldBytes, client.PendingInputBytes + client.PendingOutputBytes);
        text.Append(culture, $"id={client.Id} addr={remote} laddr={local} fd={client.Descriptor}")
            .Append(culture, $" name={Text(client.Name)} age={(nowMs - client.ConnectedAtMs) / 1000}")
            .Append(culture, $" idle={(nowMs - client.LastInteractionMs) / 1000} flags={Flags(client)}")
            .Append(culture, $" db={client.Database} sub={client.Subscriptions?.Channels ?? 0}")
            .Append(culture, $" psub={client.Subscriptions?.Patterns ?? 0}")
            .Append(culture, $" ssub={client.Subscriptions?.ShardChannels ?? 0} multi={queued}")
            .Append(culture, $" qbuf={client.PendingInputBytes} qbuf-free=0 argv-mem=0")
            .Append(culture, $" multi-mem={transaction?.QueueBytes ?? 0} rbs=0 rbp=0")
            .Append(culture, $" obl={client.PendingOutputBytes} oll={client.Outbox?.Count ?? 0}")
            .Append(culture, $" omem={client.Outbox?.Bytes ?? 0}")
            .Append(culture, $" tot-mem={ClientMemory.IdleClientBytes + memory} events=r")
            .Append(culture, $" cmd={client.LastCommand?.Name ?? "NULL"} user={client.User.Name}")
            .Append(culture, $" redir={client.Tracking?.Redirection ?? -1}")
            .Append(culture, $" resp={client.ProtocolVersion}")
            .Append(culture, $" lib-name={Text(client.LibraryName)} lib-ver={Text(client.LibraryVersion)}")
            .Append(culture, $" tot-net-in={client.InputBytes} tot-net-out={client.OutputBytes}")
            .Append(culture, $" tot-cmds={client.Commands} watch={transaction?.WatchedCount ?? 0}\n");
    }

    private static string Flags(ClientSession client)
    {
        string flags = (client.IsMonitor ? "O" : "")
            + (client.IsSubscriber ? "P" : "")
            + (client.IsQueueing ? "x" : "")
            + (client.IsBlocked ? "b" : "")
            + (client.Tracking is { } tracking ? FlagsOf(tracking) : "")
            + (client.Transaction is { IsVoid: true } ? "d" : "")
            + (client.ShouldClose ? "c" : "")
            + (client.EndPoints.IsUnixSocket ? "U" : "")
            + (client.IsProtectedFromEviction ? "e" : "")
            + (client.IsNoTouch ? "T" : "");
        return flags.Length == 0 ? "N" : flags;
    }

    private static string FlagsOf(ClientTracking tracking) =>
        "t" + (tracking.IsRedirectionBroken ? "R" : "") + (tracking.IsBroadcast ? "B" : "");

    private static string Text(byte[] attribute) => Encoding.ASCII.GetString(attribute);
}
