import { h } from '../dom.js';
import { panel } from '../charts.js';
import { bytes, microseconds, percent, short } from '../format.js';
import { history } from '../live.js';
import { refresh } from '../refresh.js';

export const title = 'Overview';
export const about = 'The last ten minutes, a figure each second.';

const most = (name) => Math.max(0, ...(history[name] ?? []).filter((value) => value !== null));
const limit = () => history.limitBytes?.at(-1) ?? 0;

export function show(main) {
  const panels = [
    panel({
      title: 'Requests per second', series: [{ name: 'operations' }], format: short,
      note: () => `highest ${short(most('operations'))}`,
    }),
    panel({
      title: 'Hit ratio', series: [{ name: 'hitRatio', colour: 4 }], format: percent, max: () => 100,
      note: (now) => `${short(now.hits)} hits and ${short(now.misses)} misses per second`,
    }),
    panel({
      title: 'Memory held', series: [{ name: 'usedBytes' }], format: bytes, max: limit,
      figure: (now) => [bytes(now.usedBytes), `of ${bytes(now.limitBytes)}`],
      note: (now) => `${percent((100 * now.usedBytes) / now.limitBytes)} of the limit, ${short(now.keys)} keys`,
    }),
    panel({
      title: 'Time of a call',
      series: [
        { name: 'longestMicroseconds', label: 'longest', colour: 2 }, { name: 'p99Microseconds', label: 'p99', colour: 3 },
        { name: 'medianMicroseconds', label: 'median', colour: 1 },
      ],
      format: microseconds, log: true,
      figure: (now) => [microseconds(now.p99Microseconds), `p99, longest ${microseconds(now.longestMicroseconds)}`],
    }),
    panel({
      title: 'Clients', series: [{ name: 'clients' }], format: short,
      note: (now) => (now.rejectedClients > 0 ? `${short(now.rejectedClients)} rejected per second` : ''),
    }),
    panel({
      title: 'Removed keys per second',
      series: [{ name: 'evictions', label: 'evicted', colour: 2 }, { name: 'expirations', label: 'expired', colour: 6 }],
      format: short,
      figure: (now) => [short(now.evictions), `evicted, ${short(now.expirations)} expired`],
      note: (now) => (now.refusedWrites > 0 ? `${short(now.refusedWrites)} writes refused per second` : ''),
    }),
    panel({
      title: 'Network',
      series: [{ name: 'outputBytes', label: 'replies', colour: 1 }, { name: 'inputBytes', label: 'requests', colour: 3 }],
      format: (value) => (value === null || value === undefined ? '–' : `${bytes(value)}/s`),
      figure: (now) => [`${bytes(now.outputBytes)}/s`, `out, ${bytes(now.inputBytes)}/s in`],
    }),
    panel({
      title: 'Processor', series: [{ name: 'processorPercent', colour: 5 }], format: percent,
      note: (now) => (now.errors > 0 ? `${short(now.errors)} error replies per second` : '100 % is one processor'),
    }),
  ];
  const findings = h('div', { role: 'status', 'aria-label': 'Doctor' });
  main.append(findings, h('div', { class: 'panels' }, panels.map((one) => one.element)));
  let shown = '';
  const reads = refresh(main, 'doctor', () => ({}), (data) => {
    const text = JSON.stringify(data.findings);
    if (text === shown) return; // A reader of the screen is told of changes alone.
    shown = text;
    findings.replaceChildren(...data.findings.map((one) => h('p', { class: one.severity === 'Note' ? 'notice' : 'notice bad' },
      h('strong', {}, `${one.severity}: `), one.sentence, ' ', h('span', { class: 'note' }, one.advice))));
  }, 5000);
  return () => {
    panels.forEach((one) => one.end());
    reads.end();
  };
}
