import { h, change, confirm, failure, setText } from '../dom.js';
import { table } from '../table.js';
import { refresh } from '../refresh.js';
import { bytes, seconds, whole } from '../format.js';

export const title = 'Clients';
export const about = 'Who is connected.';

const page = 50;

// What it does beside asking and being answered.
const states = { blocked: 'waits', subscribed: 'subscribed', tracking: 'tracks', queueing: 'in MULTI', monitor: 'monitors' };

function commandOf(row) {
  const does = Object.keys(states).filter((name) => row[name]).map((name) => states[name]);
  return does.length === 0 ? row.command : `${row.command} (${does.join(', ')})`;
}

export function show(main) {
  const query = { sort: 'memory', descending: '1', offset: 0, count: page, search: '' };
  const search = h('input', { type: 'search', placeholder: 'address, name, user or command', 'aria-label': 'Search clients' });
  const count = h('p', { class: 'note', role: 'status' });
  const previous = h('button', { type: 'button', click: () => move(-page) }, 'Previous');
  const next = h('button', { type: 'button', click: () => move(page) }, 'Next');
  const message = h('div');
  const number = (name, heading, format) => ({ name, title: heading, number: true, show: (row) => format(row[name]) });
  const clients = table({
    caption: 'Clients',
    columns: [
      number('id', 'Id', whole),
      { name: 'address', title: 'Address', className: 'tight' },
      { name: 'name', title: 'Name', show: (row) => row.name || row.library },
      { name: 'user', title: 'User' },
      { name: 'command', title: 'Last command', show: (row) => commandOf(row) },
      number('database', 'Db', whole), number('age', 'Age', seconds), number('idle', 'Idle', seconds),
      number('input', 'Input', bytes), number('output', 'Output', bytes), number('memory', 'Memory', bytes),
      {
        name: 'end', title: '', sorts: false,
        show: (row) => h('button', {
          type: 'button', class: 'small danger', 'aria-label': `Disconnect client ${row.id}`, click: () => end(row),
        }, 'Disconnect'),
      },
    ],
    rows: [], sort: { name: 'memory', descending: true }, empty: 'No client matches.',
    onSort(order) {
      query.sort = order.name;
      query.descending = order.descending ? '1' : '0';
      query.offset = 0;
      reads.now();
    },
  });

  function move(by) {
    query.offset = Math.max(0, query.offset + by);
    reads.now();
  }

  function focusButton(label) {
    [...main.querySelectorAll('button.danger')].find((one) => one.getAttribute('aria-label') === label)?.focus();
  }

  async function end(row) {
    const text = `${row.address}${row.name ? ` (${row.name})` : ''}, user ${row.user}. It may connect again at once.`;
    const isSure = await confirm(`Disconnect client ${row.id}?`, text, 'Disconnect');
    focusButton(`Disconnect client ${row.id}`); // The one that the dialog would give the focus back to may be gone.
    if (!isSure) return;
    try {
      const done = await change(`clients/${row.id}/end`);
      message.replaceChildren(h('p', { class: 'notice', role: 'status' },
        done.ended ? `Client ${row.id} was disconnected.` : `Client ${row.id} had left already.`));
    } catch (error) {
      message.replaceChildren(failure(error));
    }
    reads.now();
  }

  main.append(
    h('form', { role: 'search', submit: (event) => event.preventDefault() }, search, previous, next, count), message,
    clients.element);
  search.addEventListener('input', () => {
    query.search = search.value;
    query.offset = 0;
    reads.now();
  });
  const reads = refresh(main, 'clients', () => query, (data) => {
    if (query.offset > 0 && query.offset >= data.matching) {
      query.offset = Math.max(0, Math.floor((data.matching - 1) / page) * page);
      reads.now();
      return;
    }
    // A button that has the focus must keep it, or the keyboard loses its place.
    const focused = document.activeElement?.getAttribute?.('aria-label');
    clients.show(data.clients);
    if (focused?.startsWith('Disconnect client')) focusButton(focused);
    const last = data.offset + data.clients.length;
    const shown = data.matching === 0 ? 'none' : `${whole(data.offset + 1)} to ${whole(last)}`;
    setText(count, `${shown} of ${whole(data.matching)}`
      + (data.matching === data.connected ? ' clients' : ` that match, ${whole(data.connected)} connected`));
    previous.disabled = data.offset === 0;
    next.disabled = last >= data.matching;
  });
  return () => reads.end();
}
