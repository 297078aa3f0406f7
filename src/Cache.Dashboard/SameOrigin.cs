using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard;

/// <summary>Whether a request that changes something was sent by the dashboard's own page.</summary>
/// <remarks>
/// A browser sends a header of another name across origins only after asking, and is not allowed to here; it says where
/// a request comes from (Sec-Fetch-Site, Origin), which a page cannot change. So no token is needed, nor a session to
/// keep it in.
/// </remarks>
internal static class SameOrigin
{
    /// <summary>The header that the page sends.</summary>
    public const string Header = "X-Cache-Dashboard";

    public static bool Is(HttpRequest request)
    {
        if (!request.Headers.ContainsKey(Header))
            return false;
        // Without it, the origin: a proxy that changes the host is not to be in the way of browsers that have it.
        return request.Headers.TryGetValue("Sec-Fetch-Site", out var site)
            ? site == "same-origin"
            : IsOwnOrigin(request);
    }

    /// <summary>Whether the request names no other origin than the one that it was sent to.</summary>
    public static bool IsOwnOrigin(HttpRequest request) =>
        !request.Headers.TryGetValue("Origin", out var origin)
        || (Uri.TryCreate(origin, UriKind.Absolute, out var uri)
            && uri.Authority.Equals(AuthorityOf(request), StringComparison.OrdinalIgnoreCase));

    // Without the port of the scheme that the page has, which a proxy may have changed.
    private static string AuthorityOf(HttpRequest request) =>
        request.Headers.Origin.ToString().StartsWith("https:", StringComparison.Ordinal)
            ? WithoutSuffix(request.Host.Value ?? "", ":443")
            : WithoutSuffix(request.Host.Value ?? "", ":80");

    private static string WithoutSuffix(string text, string suffix) =>
        text.EndsWith(suffix, StringComparison.Ordinal) ? text[..^suffix.Length] : text;
}
