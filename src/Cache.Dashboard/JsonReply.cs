using System.Buffers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard;

/// <summary>Answers with a JSON object.</summary>
internal static class JsonReply
{
    /// <param name="context">The request.</param>
    /// <param name="write">Writes the members of the object.</param>
    public static async Task SendAsync(HttpContext context, Action<Utf8JsonWriter> write)
    {
        context.Response.ContentType = "application/json; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        await using (var json = new Utf8JsonWriter((IBufferWriter<byte>)context.Response.BodyWriter))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        await context.Response.BodyWriter.FlushAsync(context.RequestAborted).ConfigureAwait(false);
    }

    /// <summary>Answers with an error, in a sentence.</summary>
    public static Task SendErrorAsync(HttpContext context, int status, string message)
    {
        context.Response.StatusCode = status;
        return SendAsync(context, json => json.WriteString("error", message));
    }
}
