import { h, read, failure } from '../dom.js';
import { refresh } from '../refresh.js';
import { table } from '../table.js';
import { bytes, seconds, short, time, whole } from '../format.js';

export const title = 'Keys';
export const about = 'One key, or some that match. Looking does not count as a use.';

const expiry = (key) => {
  if (!key.expiresAt) return 'never';
  return seconds((key.expiresAt - Date.now()) / 1000);
};

export function show(main) {
  let cursor = '0';
  let shown = [];
  let asked = {};
  let searches = 0;
  let looks = 0;
  const database = h('input', { type: 'text', inputmode: 'numeric', value: '0', size: '3', 'aria-label': 'Database', pattern: '[0-9]{1,2}' });
  database.style.flex = '0 0 64px';
  const pattern = h('input', { type: 'search', placeholder: 'key, or pattern such as user:*', 'aria-label': 'Key or pattern' });
  const more = h('button', { type: 'button', click: () => scan() }, 'More');
  const count = h('p', { class: 'note', role: 'status' });
  const place = h('div');
  const one = h('div');
  const keys = table({
    caption: 'Keys',
    columns: [
      {
        name: 'key', title: 'Key', className: 'key',
        show: (row) => {
          const text = row.key + (row.isCut ? ` … ${whole(row.keyLength)} bytes` : '');
          if (!row.id) return text; // Too long to ask for.
          return h('a', { href: '#/keys', click: (event) => { event.preventDefault(); look({ id: row.id }); } }, text);
        },
      },
      { name: 'kind', title: 'Type', show: (row) => row.kind.toLowerCase() },
      { name: 'length', title: 'Length', number: true, show: (row) => bytes(row.length) },
      { name: 'memory', title: 'Memory', number: true, show: (row) => bytes(row.memory) },
      { name: 'expiresAt', title: 'Expires in', number: true, show: expiry },
      { name: 'uses', title: 'Uses', number: true },
    ],
    rows: [], sort: { name: 'memory', descending: true }, empty: 'No key matches.',
  });

  const hot = table({
    caption: 'Hot keys',
    columns: [
      {
        name: 'key', title: 'Key', className: 'key',
        show: (row) => h('a', {
          href: '#/keys',
          click: (event) => {
            event.preventDefault();
            look({ id: row.id, database: row.database });
          },
        }, row.key),
      },
      { name: 'database', title: 'Database', show: (row) => `db${row.database}` },
      { name: 'reads', title: 'Reads/s', number: true, show: (row) => short(row.reads) },
      { name: 'writes', title: 'Writes/s', number: true, show: (row) => short(row.writes) },
      { name: 'bytes', title: 'Traffic', number: true, show: (row) => `${bytes(row.bytes)}/s` },
      { name: 'length', title: 'Length', number: true, show: (row) => bytes(row.length) },
    ],
    rows: [], sort: { name: 'reads', descending: true }, empty: 'No key is used often.',
  });

  const large = table({
    caption: 'Large keys',
    columns: [
      {
        name: 'key', title: 'Key', className: 'key',
        show: (row) => (row.id ? h('a', {
          href: '#/keys',
          click: (event) => {
            event.preventDefault();
            look({ id: row.id, database: row.database });
          },
        }, row.key) : `${row.key} …`),
      },
      { name: 'database', title: 'Database', show: (row) => `db${row.database}` },
      { name: 'memory', title: 'Memory', number: true, show: (row) => bytes(row.memory) },
      { name: 'length', title: 'Length', number: true, show: (row) => bytes(row.length) },
    ],
    rows: [], sort: { name: 'memory', descending: true }, empty: 'The keys are not counted yet.',
  });

  // What was asked for last is shown, whatever arrives last.
  async function scan() {
    const mine = searches;
    more.disabled = true;
    try {
      const data = await read('keys', { ...asked, cursor });
      if (mine !== searches) return;
      const known = new Set(shown.map((key) => key.id));
      shown = [...shown, ...data.keys.filter((key) => !key.id || !known.has(key.id))];
      cursor = data.cursor;
      keys.show(shown);
      place.replaceChildren(keys.element);
      count.textContent = `${whole(shown.length)} keys${cursor === '0' ? ', that is all' : ' so far'}`;
      more.hidden = cursor === '0';
    } catch (error) {
      if (mine !== searches) return;
      place.replaceChildren(failure(error));
    }
    more.disabled = false;
  }

  async function look(parameters) {
    looks += 1;
    const mine = looks;
    try {
      const key = await read('key', { database: asked.database, ...parameters });
      if (mine !== looks) return;
      one.replaceChildren(describe(key, parameters.key));
    } catch (error) {
      if (mine !== looks) return;
      one.replaceChildren(failure(error));
    }
    one.scrollIntoView({ block: 'nearest' });
  }

  function describe(key, name) {
    if (!key.exists) return h('p', { class: 'notice' }, `There is no key ${name ?? 'of that name any more'}.`);
    const pairs = [
      ['Key', key.key], ['Type', key.kind.toLowerCase()], ['Length', `${bytes(key.length)} (${whole(key.length)} bytes)`],
      ['Memory usage', `${bytes(key.memory)} (${whole(key.memory)} bytes)`],
      ['Expires', key.expiresAt ? `in ${expiry(key)}, at ${time(key.expiresAt / 1000)}` : 'never'],
      ['Sliding', key.sliding ? `${whole(key.sliding)} ms` : 'no'], ['Uses counted', whole(key.uses)],
    ];
    return h('section', { class: 'panel', role: 'status' },
      h('dl', { class: 'pairs' }, pairs.map(([term, text]) => [h('dt', {}, term), h('dd', {}, text)])),
      key.value === undefined
        ? h('p', { class: 'note' }, key.showsValue ? 'It is no string.' : 'You have no right to see values.')
        : h('pre', { tabindex: '0', 'aria-label': 'The beginning of its value' }, key.value));
  }

  function start(event) {
    event?.preventDefault();
    cursor = '0';
    shown = [];
    asked = { database: database.value, pattern: pattern.value };
    searches += 1;
    looks += 1;
    one.replaceChildren();
    const text = pattern.value;
    if (text && !/[*?[\\]/.test(text)) look({ key: text });
    scan();
  }

  more.hidden = true;
  main.append(h('form', { submit: start, role: 'search' }, h('label', { class: 'note' }, 'db '), database, pattern,
    h('button', { type: 'submit' }, 'Find'), more, count), one, place, h('h2', {}, 'Hot keys'), hot.element,
    h('h2', {}, 'Large keys'), large.element);
  start();
  const reads = refresh(main, 'hotkeys', () => ({}), (data) => {
    hot.show(data.keys);
    large.show(data.largest);
  }, 5000);
  return () => reads.end();
}
