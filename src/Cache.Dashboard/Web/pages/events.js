import { h } from '../dom.js';
import { table } from '../table.js';
import { refresh } from '../refresh.js';
import { time, whole } from '../format.js';

export const title = 'Events';
export const about = 'What happened rarely: limits that were met, evictions that began, waits, denials.';

export function show(main) {
  const when = { name: 'at', title: 'When', className: 'tight', show: (row) => time(row.at) };
  const events = table({
    caption: 'Events',
    columns: [
      { ...when, value: (row) => row.id },
      { name: 'kind', title: 'Kind', className: 'tight' }, { name: 'text', title: 'What', className: 'key' },
    ],
    rows: [], sort: { name: 'at', descending: true }, empty: 'Nothing has happened.',
  });
  const waits = table({
    caption: 'Waits',
    columns: [
      when, { name: 'cause', title: 'Cause' },
      { name: 'milliseconds', title: 'Took', number: true, show: (row) => `${whole(row.milliseconds)} ms` },
    ],
    rows: [], sort: { name: 'at', descending: true },
    empty: 'None, or latency-monitor-threshold is 0.',
  });
  const denials = table({
    caption: 'Denials',
    columns: [
      when, { name: 'reason', title: 'Reason' }, { name: 'object', title: 'Of what', className: 'key' },
      { name: 'user', title: 'User' }, { name: 'count', title: 'Times', number: true, show: (row) => whole(row.count) },
    ],
    rows: [], sort: { name: 'at', descending: true }, empty: 'No request was denied.',
  });
  const limits = table({
    caption: 'Limits',
    columns: [
      { name: 'name', title: 'Limit', show: (row) => row.name.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) },
      { name: 'count', title: 'Times', number: true, show: (row) => whole(row.count) },
    ],
    rows: [], sort: { name: 'count', descending: true }, empty: 'No client met a limit.',
  });
  main.append(h('h2', {}, 'Events'), events.element, h('h2', {}, 'Waits'), waits.element, h('h2', {}, 'Denied requests'), denials.element,
    h('h2', {}, 'Limits that clients met'), limits.element);
  const reads = refresh(main, 'events', () => ({}), (data) => {
    events.show(data.events);
    waits.show(data.waits);
    denials.show(data.denials);
    limits.show(data.limits);
  });
  return () => reads.end();
}
