namespace NearPages;

/// <summary>The one page of the sample.</summary>
internal static class Page
{
    public const string Html = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>A near cache</title>
        <style>
          body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
          #note { font-size: 2rem; min-height: 3rem; }
          input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
          dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; }
          dt { color: #666; }
          dd { margin: 0; }
          ol { display: flex; align-items: end; gap: 3px; height: 80px; padding: 0; list-style: none; }
          li { flex: 1; background: #2a6; min-height: 2px; }
        </style>
        <h1>What the other process wrote</h1>
        <p id="note">–</p>
        <p><input id="text" placeholder="Write here; it appears on both pages" autofocus></p>
        <dl>
          <dt>the last change was seen after</dt><dd id="last">–</dd>
          <dt>local entries count</dt><dd id="coherent">–</dd>
          <dt>reads answered here</dt><dd id="hits">–</dd>
          <dt>reads answered by the server</dt><dd id="fills">–</dd>
          <dt>keys that the server told of</dt><dd id="pushes">–</dd>
        </dl>
        <ol id="ages" aria-label="Milliseconds until the last changes were seen"></ol>
        <script>
          const at = id => document.getElementById(id);
          at('text').oninput = event =>
            fetch('/note', { method: 'POST', body: new URLSearchParams({ note: event.target.value }) });
          setInterval(async () => {
            const seen = await (await fetch('/seen')).json();
            at('note').textContent = seen.note || '–';
            at('coherent').textContent = seen.isCoherent ? 'yes' : 'no: the server is asked';
            for (const name of ['hits', 'fills', 'pushes']) at(name).textContent = seen[name].toLocaleString();
            if (seen.agesMs.length > 0) at('last').textContent = `${seen.agesMs.at(-1)} ms`;
            const most = Math.max(10, ...seen.agesMs);
            at('ages').replaceChildren(...seen.agesMs.map(age => {
              const bar = document.createElement('li');
              bar.style.height = `${100 * age / most}%`;
              bar.title = `${age} ms`;
              return bar;
            }));
          }, 200);
        </script>
        </html>
        """;
}
