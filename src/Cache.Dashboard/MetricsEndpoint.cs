using Cache.Server.Commands.Dispatch;
using Cache.Server.Metrics;
using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard;

/// <summary>Answers Prometheus.</summary>
internal sealed class MetricsEndpoint(ServerState server)
{
    public async Task WriteAsync(HttpContext context)
    {
        context.Response.ContentType = PrometheusWriter.ContentType;
        context.Response.Headers.CacheControl = "no-store";
        if (server.IsStoreDisposed)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            return;
        }

        if (HttpMethods.IsHead(context.Request.Method))
            return;
        MetricsText.Write(server, context.Response.BodyWriter);
        await context.Response.BodyWriter.FlushAsync(context.RequestAborted).ConfigureAwait(false);
    }
}
