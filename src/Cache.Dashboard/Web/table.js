import { h } from './dom.js';

/**
 * A table whose columns sort it: columns [{ name, title, number, show(row), className, value(row), sorts }].
 * sort { name, descending } changes when a head is pressed; onSort, if given, sorts elsewhere.
 */
export function table({ caption, columns, rows, sort, onSort, empty }) {
  const body = h('tbody');
  const heads = columns.map((column) => {
    const title = column.sorts === false
      ? column.title
      : h('button', { type: 'button', click: () => press(column) }, column.title);
    return h('th', { scope: 'col', class: column.number ? 'n' : null }, title);
  });
  const nothing = h('p', { class: 'empty' }, empty ?? 'Nothing yet.');
  const grid = h('table', { 'aria-label': caption }, h('thead', {}, h('tr', {}, heads)), body);
  const element = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, grid, nothing);
  const order = { ...sort };

  function press(column) {
    const isSame = order.name === column.name;
    order.descending = isSame ? !order.descending : Boolean(column.number);
    order.name = column.name;
    if (onSort) onSort(order);
    else show();
    mark();
  }

  function mark() {
    columns.forEach((column, i) => {
      if (column.sorts === false) return;
      const is = order.name === column.name;
      heads[i].setAttribute('aria-sort', is ? (order.descending ? 'descending' : 'ascending') : 'none');
    });
  }

  function sorted() {
    const column = columns.find((one) => one.name === order.name);
    if (onSort || !column) return rows;
    const value = column.value ?? ((row) => row[column.name]);
    const direction = order.descending ? -1 : 1;
    return rows.toSorted((one, other) => {
      const a = value(one);
      const b = value(other);
      return direction * (typeof a === 'string' ? a.localeCompare(b) : (a ?? -1) - (b ?? -1));
    });
  }

  function show(next) {
    if (next) rows = next;
    nothing.hidden = rows.length > 0;
    grid.hidden = rows.length === 0;
    body.replaceChildren(...sorted().map((row) => h('tr', {}, columns.map((column) => {
      const shown = column.show ? column.show(row) : row[column.name];
      const className = [column.number ? 'n' : '', column.className ?? ''].join(' ').trim();
      return h('td', { class: className || null }, shown ?? '');
    }))));
  }

  mark();
  show();
  return { element, show, order };
}
