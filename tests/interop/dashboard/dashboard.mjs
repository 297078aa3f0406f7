// The dashboard in a headless Chromium: every page in both colour schemes and two widths, and what a person does there.
//
// usage: dashboard.mjs SERVER.dll PORT HTTP_PORT       starts the server itself, for it is stopped in between
//
// DASHBOARD_SHOTS=FOLDER also writes the pictures of docs/images there.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import net from 'node:net';
import { chromium } from 'playwright-core';
import { check, equal, finish } from '../node/checks.mjs';

const [program, port, httpPort] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const base = `http://127.0.0.1:${httpPort}`;
const shots = process.env.DASHBOARD_SHOTS;
const manyClients = 10_000;

// Of a machine with two slow cores that are shared, while it accepts ten thousand connections; else it is a second.
const slowestPage = 15_000;
const pages = {
  overview: 'Overview', hits: 'Hit ratio', memory: 'Memory', latency: 'Latency', keys: 'Keys', clients: 'Clients',
  configuration: 'Configuration', events: 'Events',
};
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
let server = null;

async function until(what, condition, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  let last = null;
  while (Date.now() < end) {
    try {
      last = await condition();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    await pause(100);
  }
  throw new Error(`not in time: ${what}; at last ${last}`);
}

async function startServer(...more) {
  server = spawn('dotnet', [
    program, '--port', port, '--http-port', httpPort, '--maxmemory', '24mb', '--maxclients', '12000',
    '--slowlog-log-slower-than', '100', '--latency-monitor-threshold', '1', ...more,
  ], { stdio: ['ignore', 'ignore', 'inherit'] });
  await until('health', async () => (await fetch(`${base}/health`)).ok);
}

async function stopServer() {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  return ended;
}

const bulk = (text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const request = (...words) => `*${words.length}\r\n${words.map((word) => bulk(String(word))).join('')}`;

function connect(name) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.on('data', () => {});
      if (name) socket.write(request('client', 'setname', name));
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

// A steady traffic: pages that are read often, others seldom, some that expire, some large.
function startTraffic(socket) {
  let turn = 0;
  const write = () => {
    const lines = [];
    const wave = 60 + Math.round(40 * Math.sin(turn / 25));
    for (let i = 0; i < wave; i++) {
      const id = Math.floor(30_000 * Math.random() ** 3);
      lines.push(request('get', `page:${id}`));
      if (i % 4 === 0) lines.push(request('set', `page:${id}`, 'x'.repeat(200 + (id % 1500)), 'ex', 30 + (id % 600)));
      if (i % 25 === 0) lines.push(request('incr', `counter:${id % 50}`));
    }
    turn += 1;
    socket.write(lines.join(''));
  };
  const timer = setInterval(write, 50);
  socket.once('close', () => clearInterval(timer));
  return () => clearInterval(timer);
}

// What breaks the rules of a page, collected while it is used.
function watch(page, problems) {
  page.on('console', (message) => {
    if (message.type() === 'error' && !/ERR_|Failed to load/.test(message.text())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.stack));
  page.on('request', (sent) => {
    if (!sent.url().startsWith(`${base}/cache/`)) problems.push(`asks ${sent.url()}`);
  });
}

// Text against the ground that it is on, by WCAG 2: 4.5, or 3 if it is large.
function findContrastProblems() {
  const parse = (text) => {
    const values = text.match(/[\d.]+/g).map(Number);
    return { rgb: values.slice(0, 3), alpha: values[3] ?? 1 };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const ground = parse(getComputedStyle(at).backgroundColor);
      if (ground.alpha === 1) return ground.rgb;
    }
    return [255, 255, 255];
  };
  const problems = [];
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(' ').trim();
    if (!text || element.disabled || !element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const actual = ratio(parse(style.color).rgb, groundOf(element));
    if (actual < needed) problems.push(`"${text.slice(0, 30)}" ${actual.toFixed(2)} of ${needed}`);
  }
  // The axes are drawn: their colours come from the same place.
  const root = getComputedStyle(document.documentElement);
  const hex = (name) => root.getPropertyValue(name).trim().match(/\w\w/g).map((part) => parseInt(part, 16));
  for (const name of ['--muted', '--c1', '--c2', '--c3', '--c4', '--c5', '--c6']) {
    const actual = ratio(hex(name), hex('--surface'));
    const needed = name === '--muted' ? 4.5 : 3;
    if (actual < needed) problems.push(`${name} ${actual.toFixed(2)} of ${needed}`);
  }
  return problems;
}

async function open(browser, { scheme = 'light', width = 1280, height = 860, ...more } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height }, ...more });
  const page = await context.newPage();
  const problems = [];
  watch(page, problems);
  await page.goto(`${base}/cache/#/overview`);
  await until('the server is ready', () => page.evaluate(() => document.getElementById('state').dataset.state === 'ready'));
  return { page, problems, context };
}

async function goTo(page, name) {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${name}`);
  await page.waitForFunction((title) => document.querySelector('h1')?.textContent === title, pages[name]);
  // Data arrives once, and charts are drawn.
  await page.waitForFunction(() => !document.querySelector('[role=alert]'));
  await page.waitForFunction((isTable) => (isTable
    ? document.querySelectorAll('tbody tr').length > 0
    : document.querySelectorAll('.chart canvas').length > 0),
  ['latency', 'clients', 'configuration', 'events', 'memory', 'keys'].includes(name));
}

const drawn = (page) => page.evaluate(() => [...document.querySelectorAll('.chart canvas')].map((canvas) => {
  const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 3; i < bytes.length; i += 4) count += bytes[i] > 0 ? 1 : 0;
  return count;
}));

const figures = (page) => page.$$eval('.figure', (all) => all.map((one) => one.textContent));

async function checkPages(browser) {
  for (const scheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
      const { page, problems, context } = await open(browser, { scheme, width, height: width === 390 ? 844 : 860 });
      for (const name of Object.keys(pages)) {
        await check(`${name}, ${scheme}, ${width} wide`, async () => {
          problems.length = 0;
          await goTo(page, name);
          await pause(300);
          equal(problems, []);
          equal(await page.evaluate(findContrastProblems), []);
          equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth <= 0), true, 'wider than the screen');
          equal(await page.$eval('nav [aria-current]', (link) => link.textContent), pages[name]);
          for (const count of await drawn(page)) equal(count > 50, true, 'an empty chart');
          if (shots) await page.screenshot({ path: `${shots}/${name}-${scheme}-${width}.png` });
        });
      }
      await context.close();
    }
  }
}

async function checkLive(browser) {
  const { page, problems, context } = await open(browser);
  await check('figures change by themselves', async () => {
    await goTo(page, 'overview');
    const seen = new Set();
    for (let i = 0; i < 8; i++) {
      seen.add((await figures(page)).join());
      await pause(600);
    }
    equal(seen.size >= 4, true, `${seen.size} different states in five seconds`);
    equal(problems, []);
  });
  await check('a page that is opened later shows the past', async () => {
    const points = await page.evaluate(async () => (await import('./assets/live.js')).history.t.length);
    equal(points > 5, true);
  });
  await check('the scheme may change while the page is open', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await pause(300);
    equal(await page.evaluate(findContrastProblems), []);
    for (const count of await drawn(page)) equal(count > 50, true);
    equal(problems, []);
  });
  await check('the width may change while the page is open', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await pause(500);
    equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    equal(await page.evaluate(() => [...document.querySelectorAll('.chart canvas')]
      .every((canvas) => canvas.getBoundingClientRect().right <= innerWidth)), true);
  });
  await context.close();
}

async function checkKeyboard(browser) {
  const { page, problems, context } = await open(browser);
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  const tabTo = async (text, most = 700) => {
    for (let i = 0; i < most; i++) {
      if ((await focused()) === text) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the keyboard does not reach ${text}; it is at ${await focused()}`);
  };
  await check('keyboard: first the way past the navigation', async () => {
    await page.keyboard.press('Tab');
    equal(await focused(), 'Skip to the page');
    equal(await page.$eval('.skip', (link) => link.getBoundingClientRect().left >= 0), true, 'it is not seen');
  });
  await check('keyboard: that way stays on the page', async () => {
    await goTo(page, 'latency');
    await page.focus('.skip');
    await page.keyboard.press('Enter');
    await pause(200);
    equal(await page.textContent('h1'), 'Latency');
    equal(await page.evaluate(() => document.activeElement.id), 'main');
    await goTo(page, 'overview');
  });
  for (const [name, title] of Object.entries(pages)) {
    await check(`keyboard: to ${name}`, async () => {
      await page.evaluate(() => document.activeElement.blur());
      await tabTo(title);
      equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'solid');
      await page.keyboard.press('Enter');
      await page.waitForFunction((text) => document.querySelector('h1').textContent === text, title);
    });
  }
  await check('keyboard: sorts a table', async () => {
    await goTo(page, 'latency');
    await tabTo('Calls');
    await page.keyboard.press('Enter');
    equal(await page.$$eval('th[aria-sort=descending]', (all) => all[0].textContent), 'Calls');
    await page.keyboard.press('Space');
    equal(await page.$$eval('th[aria-sort=ascending]', (all) => all[0].textContent), 'Calls');
  });
  await check('keyboard: disconnects a client, after a question', async () => {
    const victim = await connect('victim');
    const closed = new Promise((resolve) => victim.once('close', () => resolve(true)));
    await goTo(page, 'clients');
    await tabTo('Search clients');
    await page.keyboard.type('victim');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    const label = await page.$eval('tbody button', (button) => button.getAttribute('aria-label'));
    await tabTo(label);
    await page.keyboard.press('Enter');
    equal(await page.$eval('dialog', (dialog) => dialog.open), true);
    equal(await focused(), 'Cancel');
    await pause(2500); // The table is drawn anew meanwhile.
    await page.keyboard.press('Escape');
    equal(await page.$eval('dialog', (dialog) => dialog.open), false);
    equal(victim.destroyed, false);
    await until('the button has the focus again', async () => (await focused()) === label, 5);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    equal(await focused(), 'Disconnect');
    await page.keyboard.press('Enter');
    equal(await Promise.race([closed, pause(5000)]), true);
    await page.waitForFunction(() => document.querySelector('main .notice')?.textContent.includes('was disconnected'));
    equal(problems, []);
  });
  await context.close();
}

// On a slow way each letter of a search would begin to read for ever, and an old answer could come last.
async function checkSlowWay(browser) {
  const { page, problems, context } = await open(browser);
  await check('a search over a slow way: one reader remains, and the last search is shown', async () => {
    await goTo(page, 'clients');
    let asked = 0;
    await page.route('**/api/clients?*', async (route) => {
      asked += 1;
      const isFirst = new URL(route.request().url()).searchParams.get('search') === 'w';
      await pause(isFirst ? 1500 : 400);
      await route.continue().catch(() => {});
    });
    await page.locator('input[type=search]').pressSequentially('web-1', { delay: 60 });
    await pause(3000);
    equal(await page.$$eval('tbody tr', (all) => all.length), 1);
    asked = 0;
    await pause(7200);
    equal(asked <= 4, true, `${asked} questions in seven seconds`);
    equal(problems, []);
  });
  await context.close();
}

async function checkKeys(browser) {
  const { page, problems, context } = await open(browser);
  const markup = '<img src=x onerror="document.title=\'run\'">';
  const socket = await connect(undefined);
  socket.write(request('set', `user:${markup}`, markup) + request('client', 'setname', markup.replaceAll(' ', '/')));
  await check('a key with all about it, and markup that stays text', async () => {
    await goTo(page, 'keys');
    await page.fill('input[type=search]', `user:${markup}`);
    await page.click('button[type=submit]');
    await page.waitForFunction(() => document.querySelector('pre'));
    equal(await page.$eval('pre', (value) => value.textContent), markup);
    await goTo(page, 'clients');
    await page.waitForFunction(() => document.querySelector('table').textContent.includes('<img'));
    equal(await page.$$eval('main img', (all) => all.length), 0);
    equal((await page.title()).includes('run'), false);
    equal(problems, []);
  });
  await check('the keys that are used most often', async () => {
    await goTo(page, 'keys');
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label="Hot keys"] tbody tr').length > 5);
  });
  await check('keys by a pattern, page by page', async () => {
    await goTo(page, 'keys');
    await page.fill('input[type=search]', 'page:*');
    await page.click('button[type=submit]');
    await page.waitForFunction(() => document.querySelectorAll('table[aria-label=Keys] tbody tr').length >= 100);
    const before = await page.$$eval('table[aria-label=Keys] tbody tr', (all) => all.length);
    await page.click('text=More');
    await page.waitForFunction((count) => document.querySelectorAll('table[aria-label=Keys] tbody tr').length > count, before);
    equal(await page.$$eval('table[aria-label=Keys] td.key a', (all) => all.every((link) => link.textContent.startsWith('page:'))), true);
  });
  socket.destroy();
  await context.close();
}

async function checkManyClients(browser) {
  const sockets = [];
  for (let i = 0; i < manyClients; i += 250) {
    sockets.push(...await Promise.all(Array.from({ length: 250 }, (_, at) => connect(i + at === 7777 ? 'the-one' : undefined))));
  }
  const { page, problems, context } = await open(browser);
  await check('ten thousand clients: a page of fifty, soon', async () => {
    const before = Date.now();
    await goTo(page, 'clients');
    await page.waitForFunction(() => /^1 to 50 of 10,/.test(document.querySelector('main .note').textContent));
    const took = Date.now() - before;
    equal(took < slowestPage, true, `${took} ms`);
    equal(await page.$$eval('tbody tr', (all) => all.length), 50);
    console.log(`ten thousand clients: shown after ${took} ms`);
  });
  await check('ten thousand clients: paged, sorted and searched', async () => {
    await page.click('text=Next');
    await page.waitForFunction(() => document.querySelector('main .note').textContent.startsWith('51 to 100 of'));
    await page.click('th button:has-text("Id")');
    await page.waitForFunction(() => document.querySelector('main .note').textContent.startsWith('1 to 50 of'));
    await page.fill('input[type=search]', 'the-one');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
    equal(problems, []);
  });
  if (shots) {
    await page.fill('input[type=search]', '');
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50);
    await page.screenshot({ path: `${shots}/clients-many.png` });
  }
  await context.close();
  sockets.forEach((socket) => socket.destroy());
}

async function checkStop(browser) {
  const { page, problems, context } = await open(browser);
  await check('a stopped server: the page says since when, and goes on by itself', async () => {
    equal(await stopServer(), 0);
    await page.waitForFunction(() => /^no answer since \d\d:/.test(document.getElementById('state-text').textContent));
    if (shots) await page.screenshot({ path: `${shots}/overview-stopped.png` });
    await startServer();
    await page.waitForFunction(() => document.getElementById('state-text').textContent === 'ready', null, { timeout: 20_000 });
    const before = (await figures(page)).join();
    await pause(1500);
    equal((await figures(page)).join() !== before || before.length > 0, true);
    equal(problems, []);
  });
  await check('a server that hangs is noticed too', async () => {
    server.kill('SIGSTOP');
    await page.waitForFunction(() => document.getElementById('state').dataset.state === 'lost', null, { timeout: 15_000 });
    server.kill('SIGCONT');
    await page.waitForFunction(() => document.getElementById('state').dataset.state === 'ready', null, { timeout: 15_000 });
  });
  await context.close();
}

async function checkPassword(browser) {
  await stopServer();
  await startServer('--requirepass', 'secret');
  await check('with a password the browser must give it; /metrics and /health are open', async () => {
    equal((await fetch(`${base}/cache/`)).status, 401);
    equal((await fetch(`${base}/cache/api/configuration`)).status, 401);
    equal((await fetch(`${base}/metrics`)).status, 200);
    const wrong = await browser.newContext({ httpCredentials: { username: 'default', password: 'wrong' } });
    equal((await (await wrong.newPage()).goto(`${base}/cache/`)).status(), 401);
    await wrong.close();
    const { page, problems, context } = await open(browser, { httpCredentials: { username: 'default', password: 'secret' } });
    await goTo(page, 'configuration');
    equal((await page.textContent('main')).includes('secret'), false);
    equal(problems, []);
    await context.close();
  });
}

if (shots) mkdirSync(shots, { recursive: true });
await startServer();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const traffic = await connect('traffic');
  const stopTraffic = startTraffic(traffic);
  const others = await Promise.all(['web-1', 'web-2', 'jobs'].map(connect));
  others[2].write(request('acl', 'setuser', 'reader', 'on', '>r', '~page:*', '+get') + request('auth', 'nobody', 'x'));
  await pause(Number(process.env.DASHBOARD_WARM ?? 8000));
  await checkPages(browser);
  await checkLive(browser);
  await checkKeyboard(browser);
  await checkSlowWay(browser);
  await checkKeys(browser);
  stopTraffic();
  await checkManyClients(browser);
  traffic.destroy();
  others.forEach((socket) => socket.destroy());
  await checkStop(browser);
  await checkPassword(browser);
} catch (error) {
  await check('the run itself', () => { throw error; });
} finally {
  await browser.close();
  server?.kill('SIGKILL');
}
finish();
