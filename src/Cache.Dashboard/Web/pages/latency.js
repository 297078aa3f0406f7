import { h } from '../dom.js';
import { panel } from '../charts.js';
import { table } from '../table.js';
import { refresh } from '../refresh.js';
import { microseconds, percent, time, whole } from '../format.js';

export const title = 'Latency';
export const about = 'How long commands take in the server, without the network.';

export function show(main) {
  const chart = panel({
    title: 'All commands', wide: true, format: microseconds, log: true,
    series: [
      { name: 'longestMicroseconds', label: 'longest', colour: 2 }, { name: 'p99Microseconds', label: 'p99', colour: 3 },
      { name: 'medianMicroseconds', label: 'median', colour: 1 },
    ],
    figure: (now) => [microseconds(now.p99Microseconds), `p99, longest ${microseconds(now.longestMicroseconds)}`],
  });
  const time4 = (name, heading) => ({ name, title: heading, number: true, show: (row) => microseconds(row[name]) });
  const commands = table({
    caption: 'Commands',
    columns: [
      { name: 'name', title: 'Command' },
      { name: 'calls', title: 'Calls', number: true, show: (row) => whole(row.calls) },
      { name: 'share', title: 'Of all time', number: true, show: (row) => percent(row.share) },
      time4('average', 'Average'), time4('p50', 'p50'), time4('p99', 'p99'), time4('p999', 'p99.9'),
      time4('longest', 'Longest'),
      { name: 'failures', title: 'Failed', number: true, show: (row) => whole(row.failures) },
      { name: 'rejections', title: 'Rejected', number: true, show: (row) => whole(row.rejections) },
    ],
    rows: [], sort: { name: 'share', descending: true },
  });
  const about = h('p', { class: 'note' });
  const slow = table({
    caption: 'Slow log',
    columns: [
      { name: 'at', title: 'When', className: 'tight', show: (row) => time(row.at) },
      { name: 'microseconds', title: 'Took', number: true, show: (row) => microseconds(row.microseconds) },
      {
        name: 'arguments', title: 'Request', className: 'key', sorts: false,
        show: (row) => row.arguments.join(' ') + (row.hidden > 0 ? ` … ${row.hidden} more` : ''),
      },
      { name: 'client', title: 'Client', className: 'tight', show: (row) => [row.client, row.clientName].filter(Boolean).join(' ') },
    ],
    rows: [], sort: { name: 'at', descending: true }, empty: 'No call was slow.',
  });
  main.append(chart.element, h('h2', {}, 'Commands since the start'), commands.element,
    h('div', { class: 'title' }, h('h2', {}, 'Slow log'), about), slow.element);
  const reads = refresh(main, 'latency', () => ({}), (data) => {
    const total = data.commands.reduce((sum, command) => sum + command.total, 0);
    commands.show(data.commands.map((one) => ({ ...one, share: (100 * one.total) / Math.max(1, total) })));
    about.textContent = data.slowerThan < 0
      ? 'off (slowlog-log-slower-than)'
      : `calls of ${microseconds(data.slowerThan)} and more (slowlog-log-slower-than)`;
    slow.show(data.slow);
  });
  return () => {
    chart.end();
    reads.end();
  };
}
