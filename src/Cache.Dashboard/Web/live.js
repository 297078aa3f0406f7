// The figures of the last ten minutes, and one more each second.

const secondsMax = 600;
const retryMilliseconds = 3000;
const silenceMilliseconds = 5000;

/** Columns by the names of the series; t is the time in Unix seconds. */
export const history = { t: [] };

/** The last sample; null before the first. */
export let last = null;

const listeners = new Set();
const stateListeners = new Set();
let state = 'connecting';
let source = null;
let heardAt = 0;

/** Calls back with each sample; returns what ends that. */
export function onSample(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls back with the state of the server, or "lost" if it does not answer. */
export function onState(listener) {
  stateListeners.add(listener);
  listener(state);
}

function setState(next) {
  if (next === state) return;
  state = next;
  stateListeners.forEach((listener) => listener(state));
}

function add(sample) {
  for (const [name, column] of Object.entries(history)) {
    column.push(sample[name] ?? null);
    if (column.length > secondsMax) column.shift();
  }
}

function heard(sample) {
  heardAt = Date.now();
  last = sample;
  setState(sample.state);
  if (history.t.at(-1) < sample.t || history.t.length === 0) add(sample);
  listeners.forEach((listener) => listener(sample));
}

export function connect() {
  source?.close();
  source = new EventSource('api/live');
  source.addEventListener('history', (event) => {
    heardAt = Date.now();
    for (const name of Object.keys(history)) delete history[name];
    Object.assign(history, JSON.parse(event.data));
  });
  source.addEventListener('sample', (event) => heard(JSON.parse(event.data)));
  source.addEventListener('error', () => {
    setState('lost');
    // After an answer that is no stream the browser does not try again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, retryMilliseconds);
  });
}

// A server that hangs keeps the connection, and says nothing.
setInterval(() => {
  if (heardAt > 0 && Date.now() - heardAt > silenceMilliseconds) setState('lost');
}, 1000);
