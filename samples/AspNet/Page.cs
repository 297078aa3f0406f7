using System.Text.Encodings.Web;

namespace AspNet;

/// <summary>The one page of the sample.</summary>
internal static class Page
{
    public static string Render(int visits, string? note) => $$"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Cache in ASP.NET</title>
        <style>
          body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
          code { background: #8882; padding: .1em .4em; border-radius: .3em; }
          input, button { font: inherit; padding: .3em .6em; }
        </style>
        <h1>Cache in ASP.NET</h1>
        <p>Your session has seen this page <strong>{{visits}}</strong> times. The session is an entry of the store.</p>
        <form method="post" action="/note">
          <label>A note, kept five minutes:
            <input name="note" value="{{HtmlEncoder.Default.Encode(note ?? "")}}"></label>
          <button>Keep</button>
        </form>
        <p>A Redis client sees the same store:</p>
        <p><code>redis-cli -p 6380 GET note</code><br><code>redis-cli -p 6380 SET note "from outside"</code><br>
        <code>redis-cli -p 6380 SCAN 0</code></p>
        </html>
        """;
}
