// Elements are made by functions, never from text with markup: what clients send cannot become a part of the page.

/** h('p', { class: 'note' }, 'text', child): an element. A function as a property listens to the event of that name. */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The text of an element, changed only if it differs: a reader of the screen is told of changes alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Reads a page's data. */
export async function read(path, parameters) {
  const query = new URLSearchParams(parameters ?? {}).toString();
  const answer = await fetch(`api/${path}${query ? `?${query}` : ''}`, { headers: { accept: 'application/json' } });
  const type = answer.headers.get('content-type') ?? '';
  const isData = type.startsWith('application/json');
  const data = isData ? await answer.json() : { error: answer.ok ? 'Another page answered: sign in again.' : await answer.text() };
  if (!answer.ok || !isData) throw new Error(data.error || `The server answered ${answer.status}.`);
  return data;
}

/** Asks for a change; the header tells the server that this page asks. */
export async function change(path) {
  const answer = await fetch(`api/${path}`, { method: 'POST', headers: { 'x-cache-dashboard': '1' } });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || `The server answered ${answer.status}.`);
  return data;
}

/** Asks a person before something is done. */
export function confirm(title, text, yes) {
  const dialog = document.getElementById('dialog');
  document.getElementById('dialog-title').textContent = title;
  document.getElementById('dialog-text').textContent = text;
  const yesButton = document.getElementById('dialog-yes');
  yesButton.textContent = yes;
  return new Promise((resolve) => {
    yesButton.onclick = () => dialog.close('yes');
    document.getElementById('dialog-no').onclick = () => dialog.close('');
    dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    dialog.returnValue = '';
    dialog.showModal();
    document.getElementById('dialog-no').focus();
  });
}

/** A notice in place of a page's part that could not be read. */
export const failure = (error) => h('p', { class: 'notice bad', role: 'alert' }, `Not read: ${error.message}`);
