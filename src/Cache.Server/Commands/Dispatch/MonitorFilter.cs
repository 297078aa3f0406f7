using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Security;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The calls that a client of MONITOR wants to see: those that match all that is given.</summary>
internal sealed record MonitorFilter
{
    /// <summary>A pattern of which a key must be an instance; null: any call.</summary>
    public byte[]? Pattern { get; init; }

    /// <summary>The number of the client that sent it; 0: any.</summary>
    public long ClientId { get; init; }

    /// <summary>Its user; null: any.</summary>
    public AclUser? User { get; init; }

    /// <summary>The command, or the container of the command; null: any.</summary>
    public CommandDefinition? Command { get; init; }

    /// <summary>The part of the calls that is shown, chosen at random.</summary>
    public double Fraction { get; init; } = 1;

    /// <summary>The most lines; then it ends.</summary>
    public long LinesMax { get; init; } = long.MaxValue;

    /// <summary>When it ends, in ticks of the server's clock.</summary>
    public long EndsAt { get; init; } = long.MaxValue;

    /// <summary>Whether a call is shown.</summary>
    public bool Matches(CommandDefinition command, in RespRequest request, ClientSession client) =>
        (ClientId == 0 || client.Id == ClientId)
        && (User is null || client.User == User)
        && (Command is null || IsOfCommand(command))
        && (Pattern is null || HasKey(command, request))
        && (Fraction >= 1 || Random.Shared.NextDouble() < Fraction);

    private bool IsOfCommand(CommandDefinition command)
    {
        if (command == Command)
            return true;
        foreach (var subcommand in Command!.Subcommands?.Commands ?? [])
        {
            if (subcommand == command)
                return true;
        }

        return false;
    }

    private bool HasKey(CommandDefinition command, in RespRequest request)
    {
        var pattern = new GlobPattern(Pattern);
        var keys = new KeyEnumerator(command, request, 0);
        while (keys.MoveNext())
        {
            if (!request.IsElsewhere(keys.Index) && pattern.IsMatch(request[keys.Index]))
                return true;
        }

        return false;
    }
}
