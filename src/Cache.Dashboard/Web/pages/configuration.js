import { h, setText } from '../dom.js';
import { table } from '../table.js';
import { refresh } from '../refresh.js';

export const title = 'Configuration';
export const about = 'Every parameter: its value, where that is from, and the default.';

const origins = { default: 'default', start: 'set at the start' };

export function show(main) {
  let all = [];
  const search = h('input', { type: 'search', placeholder: 'name or meaning', 'aria-label': 'Search parameters' });
  const only = h('select', { 'aria-label': 'Which parameters' },
    h('option', { value: 'effect' }, 'with an effect here'), h('option', { value: 'set' }, 'set, not default'),
    h('option', { value: 'all' }, 'all that Redis has'));
  const count = h('p', { class: 'note', role: 'status' });
  const parameters = table({
    caption: 'Parameters',
    columns: [
      { name: 'name', title: 'Parameter', className: 'tight' },
      { name: 'value', title: 'Value', className: 'key', show: (row) => row.value || '–' },
      {
        name: 'origin', title: 'Origin', className: 'tight',
        show: (row) => (row.origin === 'default' ? 'default' : h('span', { class: 'badge' }, origins[row.origin] ?? row.origin)),
      },
      { name: 'default', title: 'Default', className: 'key' },
      { name: 'changeable', title: 'CONFIG SET', show: (row) => (row.changeable ? 'yes' : 'restart'), value: (row) => (row.changeable ? 1 : 0) },
      { name: 'meaning', title: 'Meaning' },
    ],
    rows: [], sort: { name: 'name', descending: false }, empty: 'No parameter matches.',
  });

  function filter() {
    const text = search.value.trim().toLowerCase();
    const shown = all.filter((one) => (only.value === 'all' || (only.value === 'set' ? one.origin !== 'default' : one.meaning))
      && (one.name.includes(text) || one.meaning.toLowerCase().includes(text)));
    parameters.show(shown);
    setText(count, `${shown.length} of ${all.length}`);
  }

  search.addEventListener('input', filter);
  only.addEventListener('change', filter);
  main.append(h('form', { role: 'search', submit: (event) => event.preventDefault() }, search, only, count),
    parameters.element);
  const reads = refresh(main, 'configuration', () => ({}), (data) => {
    all = data.parameters;
    filter();
  }, 10000);
  return () => reads.end();
}
