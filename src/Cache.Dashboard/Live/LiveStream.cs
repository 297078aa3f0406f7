using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Cache.Dashboard.Live;

/// <summary>Server-sent events: the history at first, then a sample each second.</summary>
internal sealed class LiveStream(LiveSampler sampler)
{
    // Each holds a connection and a kilobyte or two.
    private const int ViewersMax = 100;

    private int _viewers;

    public async Task SendAsync(HttpContext context)
    {
        if (Interlocked.Increment(ref _viewers) > ViewersMax || sampler.Stopped.IsCancellationRequested)
        {
            Interlocked.Decrement(ref _viewers);
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            return;
        }

        using var ended = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, sampler.Stopped);
        try
        {
            await SendAsync(context, ended.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (ended.IsCancellationRequested)
        {
            // The viewer left, or the application stops.
        }
        finally
        {
            Interlocked.Decrement(ref _viewers);
        }
    }

    private async Task SendAsync(HttpContext context, CancellationToken ended)
    {
        context.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers.CacheControl = "no-cache, no-store";
        context.Response.Headers["X-Accel-Buffering"] = "no"; // A proxy is not to keep events back.
        var body = context.Response.BodyWriter;
        var next = sampler.NextAsync();
        body.Write("retry: 2000\nevent: history\ndata: "u8);
        await using (var json = new Utf8JsonWriter((IBufferWriter<byte>)body))
            sampler.History.WriteTo(json);
        body.Write("\n\n"u8);
        await body.FlushAsync(ended).ConfigureAwait(false);
        while (true)
        {
            byte[] sample = await next.WaitAsync(ended).ConfigureAwait(false);
            next = sampler.NextAsync();
            body.Write("event: sample\ndata: "u8);
            body.Write(sample);
            body.Write("\n\n"u8);
            await body.FlushAsync(ended).ConfigureAwait(false);
        }
    }
}
