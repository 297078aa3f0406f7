import { h, setText } from '../dom.js';
import { panel } from '../charts.js';
import { table } from '../table.js';
import { refresh } from '../refresh.js';
import { bytes, percent, seconds, short, time, whole } from '../format.js';

export const title = 'Hit ratio';
export const about = 'What reads find, and why entries leave.';

export function show(main) {
  const stats = h('dl', { class: 'stats' });
  const panels = [
    panel({
      title: 'Hit ratio', series: [{ name: 'hitRatio', colour: 4 }], format: percent, max: () => 100, wide: true,
    }),
    panel({
      title: 'Reads per second', series: [{ name: 'hits', label: 'hits', colour: 4 }, { name: 'misses', label: 'misses', colour: 2 }],
      format: short, figure: (now) => [short(now.hits), `hits, ${short(now.misses)} misses`],
    }),
    panel({
      title: 'Removed keys per second',
      series: [{ name: 'evictions', label: 'evicted', colour: 2 }, { name: 'expirations', label: 'expired', colour: 6 }],
      format: short, figure: (now) => [short(now.evictions), `evicted, ${short(now.expirations)} expired`],
    }),
  ];
  const databases = table({
    caption: 'Databases',
    columns: [
      { name: 'number', title: 'Database', show: (row) => `db${row.number}` },
      { name: 'keys', title: 'Keys', number: true, show: (row) => whole(row.keys) },
      { name: 'expiring', title: 'That expire', number: true, show: (row) => whole(row.expiring) },
    ],
    rows: [], sort: { name: 'number', descending: false },
  });
  const curve = table({
    caption: 'Other limits',
    columns: [
      { name: 'scale', title: 'maxmemory', number: true, show: (row) => `× ${row.scale}` },
      { name: 'bytes', title: 'Bytes', number: true, show: (row) => bytes(row.bytes) },
      { name: 'ratio', title: 'Hit ratio', number: true, show: (row) => percent(100 * row.ratio) },
      {
        name: 'bar', title: 'Of all reads', sorts: false,
        show: (row) => h('meter', { min: 0, max: 1, value: row.ratio, 'aria-label': percent(100 * row.ratio) }),
      },
    ],
    rows: [], sort: { name: 'scale', descending: false },
    empty: 'Not known yet: some thousand reads are needed.',
  });
  const prefixes = table({
    caption: 'Prefixes',
    columns: [
      { name: 'prefix', title: 'Prefix', className: 'key', show: (row) => row.prefix || '(none)' },
      { name: 'keys', title: 'Keys', number: true, show: (row) => whole(row.keys) },
      { name: 'size', title: 'Size', number: true, show: (row) => bytes(row.size) },
      {
        name: 'timeToLiveMs', title: 'Time to live', number: true,
        show: (row) => (row.expiring > 0 ? seconds(row.timeToLiveMs / 1000) : 'none'),
      },
      { name: 'reads', title: 'Reads/s', number: true, show: (row) => short(row.reads) },
      {
        name: 'ratio', title: 'Hit ratio', number: true, value: (row) => (row.reads > 0 ? row.hits / row.reads : -1),
        show: (row) => percent(row.reads > 0 ? (100 * row.hits) / row.reads : null),
      },
      { name: 'writes', title: 'Writes/s', number: true, show: (row) => short(row.writes) },
      { name: 'bytes', title: 'Traffic', number: true, show: (row) => `${bytes(row.bytes)}/s` },
    ],
    rows: [], sort: { name: 'size', descending: true }, empty: 'No keys yet.',
  });
  const swept = h('p', { class: 'note', role: 'status' });
  const advice = h('p', { class: 'note', role: 'status' });
  main.append(stats, h('div', { class: 'panels' }, panels.map((one) => one.element)),
    h('h2', {}, 'What other limits would answer'), advice, curve.element,
    h('h2', {}, 'Prefixes'), swept, prefixes.element, h('h2', {}, 'Databases'), databases.element);
  const stat = (name, value) => h('div', { class: 'stat' }, h('dt', {}, name), h('dd', {}, value));
  const reads = refresh(main, 'hits', () => ({}), (data) => {
    const total = data.hits + data.misses;
    stats.replaceChildren(
      stat('Hit ratio since the start', percent(total === 0 ? null : (100 * data.hits) / total)),
      stat('Hits', whole(data.hits)), stat('Misses', whole(data.misses)), stat('Evicted', whole(data.evictions)),
      stat('Expired', whole(data.expirations)), stat('Writes refused', whole(data.refusedWrites)));
    curve.show(data.curve);
    setText(advice, data.curve.length > 0 ? `${data.advice} Simulated with ${whole(data.sampledKeys)} sampled keys.` : '');
  });
  const servers = refresh(main, 'server', () => ({}), (data) => databases.show(data.databases), 5000);
  const kinds = refresh(main, 'prefixes', () => ({}), (data) => {
    prefixes.show(data.prefixes);
    const at = data.sweptAt ? time(Math.floor(data.sweptAt / 1000)) : null;
    setText(swept, !at ? 'Requests by samples of the last minutes; the keys are not counted yet.'
      : `Requests by samples of the last minutes; keys and memory as counted ${data.isComplete ? 'until' : 'in part until'} ${at}.`);
  }, 5000);
  return () => {
    panels.forEach((one) => one.end());
    reads.end();
    servers.end();
    kinds.end();
  };
}
