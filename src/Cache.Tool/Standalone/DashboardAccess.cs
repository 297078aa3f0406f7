using System.Diagnostics.CodeAnalysis;
using System.Text;
using Cache.Dashboard;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Security;
using Microsoft.AspNetCore.Http;

namespace Cache.Tool.Standalone;

/// <summary>Who may see the dashboard: the users of the server, with the rights that they have there.</summary>
/// <remarks>
/// While the default user needs no password, only this machine may: as in protected mode. It is that user then, unless
/// it gives a name and a password. Else, and where that user lacks a right, a browser asks for them. Who sees the
/// dashboard has the rights for the commands whose replies it shows.
/// </remarks>
/// <param name="server">Has the users.</param>
internal sealed class DashboardAccess(ServerState server)
{
    private const string Scheme = "Basic ";

    // What the pages show; the last one for any key.
    private static readonly string[] _commands =
        ["info", "client|list", "slowlog|get", "latency|history", "config|get", "acl|log", "scan", "memory|usage"];

    /// <summary>Goes on if the one who asks may see it, else answers.</summary>
    public async Task AdmitAsync(HttpContext context, RequestDelegate next)
    {
        bool isOpen = !server.Users.IsPasswordRequired;
        if (isOpen && !LocalRequests.IsLocal(context))
        {
            await RefuseAsync(
                context, StatusCodes.Status403Forbidden,
                "Only requests of this machine are answered while there is no password: set requirepass.")
                .ConfigureAwait(false);
            return;
        }

        bool isNamed = !isOpen || context.Request.Headers.Authorization.Count > 0;
        var user = isNamed ? await FindUserAsync(context).ConfigureAwait(false) : server.Users.Default;
        string? missing = user is null ? null : Array.Find(_commands, name => !May(user, name));
        if (user is not null && missing is null)
        {
            context.Items[typeof(AclUser)] = user;
            await next(context).ConfigureAwait(false);
        }
        else if (user is not null && isNamed)
        {
            await RefuseAsync(
                context, StatusCodes.Status403Forbidden,
                $"The user '{user.Name}' may not see this: it has no right to '{missing}' for all keys.")
                .ConfigureAwait(false);
        }
        else
        {
            context.Response.Headers.WWWAuthenticate = "Basic realm=\"cache\", charset=\"UTF-8\"";
            await RefuseAsync(context, StatusCodes.Status401Unauthorized, "Give the name and password of a user.")
                .ConfigureAwait(false);
        }
    }

    /// <summary>Whether the one who asks may read any value.</summary>
    public ValueTask<bool> ShowsValuesAsync(HttpContext context) => ValueTask.FromResult(May(UserOf(context), "get"));

    /// <summary>Whether the one who asks may disconnect clients.</summary>
    public ValueTask<bool> EndsClientsAsync(HttpContext context) =>
        ValueTask.FromResult(May(UserOf(context), "client|kill"));

    private AclUser UserOf(HttpContext context) =>
        context.Items[typeof(AclUser)] as AclUser ?? server.Users.Default;

    private static bool May(AclUser user, string command) =>
        CommandTable.Default.FindFull(Encoding.ASCII.GetBytes(command)) is { } definition
        && user.Rules.AllowsFreely(definition);

    private async Task<AclUser?> FindUserAsync(HttpContext context)
    {
        string header = context.Request.Headers.Authorization.ToString();
        if (!TryReadCredentials(header, out byte[]? name, out byte[]? password))
            return null;
        string address = context.Connection.RemoteIpAddress?.ToString() ?? "";
        int delayMs = server.Throttle.GetDelayMs(address, server.NowMs);
        if (delayMs > 0)
        {
            server.ReportLimit(ConnectionLimit.AuthenticationDelay, address, delayMs);
            await Task.Delay(
                TimeSpan.FromMilliseconds(delayMs), server.TimeProvider, context.RequestAborted).ConfigureAwait(false);
        }

        if (server.Users.Find(name) is { Rules: { IsOn: true } rules } user && rules.IsPassword(password))
            return user;
        server.Throttle.AddFailure(address, server.NowMs);
        server.ReportLimit(ConnectionLimit.AuthenticationFailure, address, 0);
        return null;
    }

    // An empty name is the default user's, as in redis-cli.
    private static bool TryReadCredentials(
        string header, [NotNullWhen(true)] out byte[]? name, [NotNullWhen(true)] out byte[]? password)
    {
        name = password = null;
        if (!header.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
            return false;
        byte[] bytes = new byte[header.Length];
        if (!Convert.TryFromBase64String(header[Scheme.Length..].Trim(), bytes, out int length))
            return false;
        int colon = bytes.AsSpan(0, length).IndexOf((byte)':');
        if (colon < 0)
            return false;
        name = colon == 0 ? Encoding.ASCII.GetBytes(AclUsers.DefaultName) : bytes[..colon];
        password = bytes[(colon + 1)..length];
        return true;
    }

    private static Task RefuseAsync(HttpContext context, int status, string message)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(message + "\n", context.RequestAborted);
    }
}
