import { h, read, setText, failure } from './dom.js';
import { connect, onSample, onState, last } from './live.js';
import { seconds, time, whole } from './format.js';
import * as overview from './pages/overview.js';
import * as hits from './pages/hits.js';
import * as memory from './pages/memory.js';
import * as latency from './pages/latency.js';
import * as keys from './pages/keys.js';
import * as clients from './pages/clients.js';
import * as configuration from './pages/configuration.js';
import * as events from './pages/events.js';

const pages = { overview, hits, memory, latency, keys, clients, configuration, events };
const main = document.getElementById('main');
const nav = document.getElementById('nav');
const stateElement = document.getElementById('state');
const stateText = document.getElementById('state-text');
const serverElement = document.getElementById('server');
const words = {
  ready: 'ready', loading: 'loading files', refusing: 'refuses writes', stopped: 'store disposed',
  connecting: 'connecting', lost: 'no answer',
};
const titles = Object.entries(pages);
let end = null;
let server = null;

nav.append(...titles.map(([name, page]) => h('a', { href: `#/${name}` }, page.title)));

async function show() {
  const asked = location.hash.slice(2).split('?')[0];
  const name = Object.hasOwn(pages, asked) ? asked : 'overview';
  const page = pages[name];
  end?.();
  end = null;
  for (const link of nav.children) {
    if (link.hash === `#/${name}`) {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    } else link.removeAttribute('aria-current');
  }
  document.title = `${page.title} · Cache`;
  main.replaceChildren(h('div', { class: 'title' }, h('h1', {}, page.title), h('p', {}, page.about)));
  try {
    end = page.show(main);
  } catch (error) {
    main.append(failure(error));
  }
}

function describe() {
  if (!server) return;
  const uptime = last ? last.uptime : server.uptime;
  setText(serverElement,
    `${server.machine}:${server.port} · ${server.version} · up ${seconds(uptime)} · ${whole(last?.keys)} keys`);
}

async function readServer() {
  try {
    server = await read('server');
    describe();
  } catch {
    // The state says that it does not answer.
  }
}

onState((state) => {
  stateElement.dataset.state = state;
  document.body.classList.toggle('lost', state === 'lost');
  setText(stateText, state === 'lost' && last ? `no answer since ${time(last.t)}` : words[state] ?? state);
  if (state === 'ready') readServer();
});
onSample(describe);
addEventListener('hashchange', async () => {
  await show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
// The address names the page that is shown: a link within it must not change that.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
readServer();
connect();
show();
