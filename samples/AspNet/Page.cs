using System.Globalization;
using System.Net;
using System.Text.Encodings.Web;
using Cache.Core.Hybrid;

namespace AspNet;

/// <summary>The one page of the sample.</summary>
internal static class Page
{
    public static string Render(
        int visits, string? note, IEnumerable<Price> prices, TimeSpan took, HybridStatistics hybrid, EndPoint server) =>
        $$"""
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Cache in ASP.NET</title>
        {{Style}}
        <h1>Cache in ASP.NET</h1>

        <section class="live">
          <div><strong id="ratio">–</strong><span>of reads are hits</span></div>
          <div><strong id="entries">–</strong><span>entries</span></div>
          <div><strong id="size">–</strong><span id="limit">held</span></div>
          <div><strong id="evictions">–</strong><span>evicted</span></div>
          <figure>
            <svg viewBox="0 0 120 40" preserveAspectRatio="none" role="img" aria-label="Hit ratio, second by second">
              <polyline points=""/></svg>
            <figcaption>Hits per read in each second of the last two minutes; the frame is 0 to 100 %.</figcaption>
          </figure>
          <p><button id="traffic">Read 50,000 keys</button> <output id="answer"></output></p>
        </section>

        <section>
          <h2>Session</h2>
          <p>This is visit <strong>{{visits}}</strong> of your session, which is an entry of the store.</p>
        </section>

        <section>
          <h2>Hybrid cache</h2>
          <p>The shop takes 400 ms to answer. This time it took <strong>{{Milliseconds(took)}} ms</strong>.</p>
          <p>Calls answered by the cache: {{hybrid.ReadyHits + hybrid.StoreHits}}; that waited for another's question:
          {{hybrid.Joins}}; questions to the shop: {{hybrid.FactoryCalls}}.</p>
          <table>{{string.Concat(prices.Select(Row))}}</table>
          <form method="post" action="/prices"><button>Remove the tag “prices”</button></form>
        </section>

        <section>
          <h2>Output cache</h2>
          <p><a href="/report">A report</a> that is kept ten minutes.</p>
          <form method="post" action="/report"><button>Evict the tag “reports”</button></form>
        </section>

        <section>
          <h2>Distributed cache</h2>
          <form method="post" action="/note">
            <label>A note, kept five minutes:
              <input name="note" value="{{HtmlEncoder.Default.Encode(note ?? "")}}"></label>
            <button>Keep</button>
          </form>
          <p>A Redis client sees the same store; reload the page after the second of these:</p>
          <pre>redis-cli -p {{PortOf(server)}} GET note
        redis-cli -p {{PortOf(server)}} SET note "from outside"</pre>
        </section>

        <footer><a href="/health">Health</a> · <a href="/statistics">statistics</a> · metrics: on the console</footer>
        {{Script}}
        </html>
        """;

    private const string Style = """
        <style>
          :root { color-scheme: light dark; --line: #8884; --accent: #0a7; }
          body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
          section { border: 1px solid var(--line); border-radius: .6em; padding: .2em 1.2em 1em; margin: 1rem 0; }
          h2 { font-size: 1.1em; margin: .8em 0 .3em; }
          p { margin: .4em 0; }
          pre { background: #8882; padding: .5em .8em; border-radius: .3em; margin: .5em 0 0; overflow-x: auto; }
          input, button { font: inherit; padding: .25em .7em; }
          table { border-collapse: collapse; margin: .5em 0; }
          td { padding: .1em 1.5em .1em 0; font-variant-numeric: tabular-nums; }
          .live { display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem; padding-top: 1em; }
          .live strong { display: block; font-size: 1.7em; line-height: 1.2; font-variant-numeric: tabular-nums; }
          .live span { opacity: .7; font-size: .9em; }
          .live p, figure { grid-column: 1 / -1; }
          figure { margin: 0; }
          figcaption { opacity: .7; font-size: .9em; }
          svg { display: block; width: 100%; height: 6rem; border-block: 1px solid var(--line); }
          @media (max-width: 36rem) { .live { grid-template-columns: 1fr 1fr; } }
          polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke; }
          footer { opacity: .8; }
        </style>
        """;

    // The ratio of each second, and of the last two minutes as a line; a second without reads keeps the last ratio.
    private const string Script = """
        <script>
          const show = (id, text) => document.getElementById(id).textContent = text;
          const seconds = [];
          let last;
          async function poll() {
            const now = await (await fetch('/statistics')).json();
            const hits = now.hits - (last ?? now).hits, reads = hits + now.misses - (last ?? now).misses;
            const all = now.hits + now.misses;
            const before = seconds.at(-1) ?? (all ? now.hits / all : 0);
            seconds.push(reads > 0 ? hits / reads : before);
            if (seconds.length > 120) seconds.shift();
            last = now;
            show('ratio', (100 * seconds.at(-1)).toFixed(1) + ' %');
            show('entries', now.count.toLocaleString('en'));
            show('size', (now.memoryBytes / 1048576).toFixed(1) + ' MB');
            show('limit', 'held of ' + (now.memoryLimitBytes / 1048576).toFixed(0));
            show('evictions', now.evictions.toLocaleString('en'));
            const points = seconds.map((ratio, i) => `${i + 120 - seconds.length},${39 - 38 * ratio}`);
            document.querySelector('polyline').setAttribute('points', points.join(' '));
          }
          document.getElementById('traffic').onclick = async () => {
            show('answer', '…');
            const hits = await (await fetch('/traffic', { method: 'POST' })).json();
            show('answer', `${hits.toLocaleString('en')} of them were hits`);
          };
          poll();
          setInterval(poll, 1000);
        </script>
        """;

    private static int PortOf(EndPoint server) => ((IPEndPoint)server).Port;

    private static string Milliseconds(TimeSpan took) =>
        took.TotalMilliseconds.ToString("0.000", CultureInfo.InvariantCulture);

    private static string Row(Price price)
    {
        string euros = (price.Cents / 100m).ToString("0.00", CultureInfo.InvariantCulture);
        return $"<tr><td>{HtmlEncoder.Default.Encode(price.Fruit)}</td><td>{euros}</td></tr>";
    }
}
