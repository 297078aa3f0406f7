import { h } from '../dom.js';
import { panel } from '../charts.js';
import { refresh } from '../refresh.js';
import { bytes, percent, whole } from '../format.js';
import { history } from '../live.js';

export const title = 'Memory';
export const about = 'What the process holds, by kind.';

export function show(main) {
  const stats = h('dl', { class: 'stats' });
  const notice = h('p', { class: 'notice' });
  const bars = h('div', { class: 'bars', role: 'img' });
  const rows = h('tbody');
  const chart = panel({
    title: 'Held over time', wide: true, stacked: true, format: bytes,
    series: [
      { name: 'usedBytes', label: 'store, with clients', colour: 1 },
      { name: 'heapBytes', label: 'managed heap', colour: 5 },
    ],
    figure: (now) => [bytes(now.usedBytes), `store of ${bytes(now.limitBytes)}, resident ${bytes(now.residentBytes)}`],
    max: () => Math.min(history.limitBytes?.at(-1) ?? 0, 3 * Math.max(1, history.usedBytes?.at(-1) ?? 0)),
  });
  main.append(notice, stats, chart.element,
    h('section', { class: 'panel' }, h('div', { class: 'head' }, h('h2', {}, 'By kind')), bars,
      h('div', { class: 'scroll bare', tabindex: '0', role: 'region', 'aria-label': 'Memory by kind' }, h('table', { 'aria-label': 'Memory by kind' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Kind'), h('th', { scope: 'col', class: 'n' }, 'Held'),
          h('th', { scope: 'col', class: 'n' }, 'Share'), h('th', { scope: 'col' }, 'What it is'))), rows))));
  const stat = (name, value) => h('div', { class: 'stat' }, h('dt', {}, name), h('dd', {}, value));
  const reads = refresh(main, 'memory', () => ({}), (data) => {
    notice.textContent = data.judgement;
    const total = data.kinds.reduce((sum, kind) => sum + kind.bytes, 0);
    stats.replaceChildren(
      stat('Limit', bytes(data.limit)), stat('Peak', bytes(data.peak)), stat('Resident', bytes(data.resident)),
      stat('Per key', bytes(data.perKey)), stat('Fragmentation', data.fragmentation.toFixed(2)),
      stat('Compression saves', bytes(data.compressedSaved)),
      stat('GC 0 / 1 / 2', data.collections.map(whole).join(' / ')),
      stat('GC pauses', `${whole(data.pauseMilliseconds)} ms`));
    bars.setAttribute('aria-label', data.kinds.map((kind) => `${kind.name} ${bytes(kind.bytes)}`).join(', '));
    bars.replaceChildren(...data.kinds.map((kind, i) => {
      const bar = h('span', { class: `k${i + 1}` });
      bar.style.width = `${(100 * kind.bytes) / Math.max(1, total)}%`;
      return bar;
    }));
    rows.replaceChildren(...data.kinds.map((kind, i) => h('tr', {},
      h('td', { class: 'tight' }, h('span', { class: 'keys' }, h('span', { class: `k${i + 1}` }, kind.name))),
      h('td', { class: 'n' }, bytes(kind.bytes)), h('td', { class: 'n' }, percent((100 * kind.bytes) / Math.max(1, total))),
      h('td', {}, kind.meaning))));
  });
  return () => {
    chart.end();
    reads.end();
  };
}
