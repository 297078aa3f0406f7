using System.Net;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OutputCaching;

namespace Cache.Dashboard;

/// <summary>Refuses other machines where no authorization decides.</summary>
/// <remarks>
/// The address alone would not do: behind a proxy on this machine every request comes from here, and a page of another
/// site can have its name resolve to 127.0.0.1. So the request must also name this machine as its host, and must not
/// say that it was forwarded, nor that a page of another origin reads it, which the application's CORS may allow. A
/// proxy that says nothing and lets the asker choose the host cannot be told from this machine.
/// </remarks>
internal static class LocalRequests
{
    // The last ones are left by the middleware that has taken the others.
    private static readonly string[] _forwarded =
    [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Real-IP",
        "Via", "X-Original-For", "X-Original-Host", "X-Original-Proto", "X-Original-Prefix",
    ];

    /// <summary>
    /// For the application's output cache, which may keep all replies, and give others what only this machine may see.
    /// </summary>
    public static OutputCacheAttribute NeverCached { get; } = new() { NoStore = true };

    /// <summary>An endpoint that answers only if authorization was asked for, or the request is local.</summary>
    public static RequestDelegate Guard(RequestDelegate next) => context =>
    {
        if (IsAuthorizedElsewhere(context.GetEndpoint()) || IsLocal(context))
            return next(context);
        context.Response.StatusCode = StatusCodes.Status403Forbidden;
        context.Response.ContentType = "text/plain; charset=utf-8";
        return context.Response.WriteAsync(
            "Only requests of this machine are answered here. To open it to others, map it with "
            + "RequireAuthorization(...).\n");
    };

    /// <summary>Whether a request comes from this machine, to a name of this machine, directly.</summary>
    public static bool IsLocal(HttpContext context) =>
        context.Connection.RemoteIpAddress is { } address && IPAddress.IsLoopback(address)
        && IsLocalHost(context.Request.Host.Host)
        && !HttpProtocol.IsHttp10(context.Request.Protocol) // No browser has it; nginx does, and says nothing else.
        && SameOrigin.IsOwnOrigin(context.Request)
        && !Array.Exists(_forwarded, context.Request.Headers.ContainsKey);

    private static bool IsLocalHost(string host) =>
        host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
        || (IPAddress.TryParse(host.Trim('[', ']'), out var address) && IPAddress.IsLoopback(address));

    // The middleware of authorization has decided before, or throws that it is missing.
    private static bool IsAuthorizedElsewhere(Endpoint? endpoint) =>
        endpoint?.Metadata.GetMetadata<IAuthorizeData>() is not null
        || endpoint?.Metadata.GetMetadata<AuthorizationPolicy>() is not null
        || endpoint?.Metadata.GetMetadata<IAllowAnonymous>() is not null;
}
