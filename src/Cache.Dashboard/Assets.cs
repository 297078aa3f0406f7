using System.Collections.Frozen;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard;

/// <summary>The files of the page, which lie in the assembly.</summary>
internal static class Assets
{
    private const string Prefix = "Web/";

    // Everything comes from here, nothing runs that is not a file, and no page of others frames this one.
    private const string ContentPolicy =
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

    private static readonly FrozenDictionary<string, Asset> _all = Read();

    /// <summary>Sends a file, or that the browser has it already.</summary>
    /// <param name="context">The request.</param>
    /// <param name="path">The path behind the dashboard's.</param>
    public static async Task SendAsync(HttpContext context, string path)
    {
        var response = context.Response;
        if (!_all.TryGetValue(path, out var asset))
        {
            response.StatusCode = StatusCodes.Status404NotFound;
            return;
        }

        response.Headers.ContentSecurityPolicy = ContentPolicy;
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
        response.Headers.CacheControl = "no-cache"; // Kept, and asked for each time: a new version has another tag.
        response.Headers.ETag = asset.Tag;
        if (context.Request.Headers.IfNoneMatch == asset.Tag)
        {
            response.StatusCode = StatusCodes.Status304NotModified;
            return;
        }

        response.ContentType = asset.ContentType;
        response.ContentLength = asset.Bytes.Length;
        await response.Body.WriteAsync(asset.Bytes, context.RequestAborted).ConfigureAwait(false);
    }

    private static FrozenDictionary<string, Asset> Read()
    {
        var assembly = typeof(Assets).Assembly;
        var all = new Dictionary<string, Asset>(StringComparer.Ordinal);
        foreach (string name in assembly.GetManifestResourceNames())
        {
            if (!name.StartsWith(Prefix, StringComparison.Ordinal))
                continue;
            using var stream = assembly.GetManifestResourceStream(name)!;
            byte[] bytes = new byte[stream.Length];
            stream.ReadExactly(bytes);
            string tag = $"\"{Convert.ToHexStringLower(SHA256.HashData(bytes).AsSpan(0, 8))}\"";
            all[name[Prefix.Length..].Replace('\\', '/')] = new Asset(bytes, ContentTypeOf(name), tag);
        }

        return all.ToFrozenDictionary(StringComparer.Ordinal);
    }

    private static string ContentTypeOf(string name) => Path.GetExtension(name) switch
    {
        ".html" => "text/html; charset=utf-8",
        ".js" => "text/javascript; charset=utf-8",
        ".css" => "text/css; charset=utf-8",
        ".svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };

    private sealed record Asset(byte[] Bytes, string ContentType, string Tag);
}
