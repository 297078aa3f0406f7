// Rate limiters whose scripts are their own: rate-limit-redis as express-rate-limit calls it, and rate-limiter-flexible.
// usage: node limiters.mjs PORT
import assert from 'node:assert/strict';
import { rateLimit } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import { BurstyRateLimiter, RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { check, equal, finish } from './checks.mjs';

const port = Number(process.argv[2]);
const io = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 1 });
const node = await createClient({ socket: { port, host: '127.0.0.1' } }).connect();
const stale = await io.keys('interop-limit*');
if (stale.length)
  await io.del(stale);

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const count = (n) => Array.from({ length: n }, (_, i) => i + 1);

// What the package makes of the missing count of a window that is over.
const over = NaN;

// What a limiter throws is what it would say to the client.
const refused = (limiter, key) => limiter.consume(key).then(() => assert.fail('not refused'), (reply) => reply);

async function storeOf(name, sendCommand, windowMs) {
  const store = new RedisStore({ sendCommand, prefix: `interop-limit-${name}:` });
  await store.init({ windowMs });
  return store;
}

for (const [name, send] of [
  ['ioredis', (...args) => io.call(...args)],
  ['node-redis', (...args) => node.sendCommand(args)],
]) {
  const named = (what, body) => check(`${what} (${name})`, body);

  await named('rate-limit-redis: counts, and tells when its window ends', async () => {
    const store = await storeOf(name, send, 60_000);
    const before = Date.now();
    for (const n of count(3)) {
      const { totalHits, resetTime } = await store.increment('a');
      equal(totalHits, n);
      equal(resetTime - before > 50_000 && resetTime - before < 62_000, true);
    }
    await store.decrement('a');
    equal((await store.get('a')).totalHits, 2);
    await store.resetKey('a');
    equal((await store.get('a')).totalHits, over);
    equal((await store.increment('a')).totalHits, 1);
  });

  await named('rate-limit-redis: a window ends', async () => {
    const store = await storeOf(name, send, 80);
    await store.increment('b');
    await later(150);
    equal((await store.get('b')).totalHits, over);
    equal((await store.increment('b')).totalHits, 1);
  });

  await named('rate-limit-redis: many at once', async () => {
    const store = await storeOf(name, send, 60_000);
    const hits = await Promise.all(count(500).map(() => store.increment('c')));
    equal(hits.map((hit) => hit.totalHits).sort((x, y) => x - y), count(500));
  });

  await named('rate-limit-redis: loads its scripts again when the server has lost them', async () => {
    const store = await storeOf(name, send, 60_000);
    await store.increment('d');
    equal(await io.script('FLUSH'), 'OK');
    equal((await store.increment('d')).totalHits, 2);
    equal((await store.get('d')).totalHits, 2);
  });

  await named('express-rate-limit: the fourth request of a window is refused', async () => {
    const store = new RedisStore({ sendCommand: send, prefix: `interop-limit-${name}-express:` });
    const keyGenerator = (request) => request.user;
    const limit = rateLimit({ windowMs: 60_000, limit: 3, store, keyGenerator, validate: false });
    const answer = (user) => new Promise((resolve, reject) => {
      const response = {
        setHeader() {}, statusCode: 200, writableEnded: false,
        status(code) { this.statusCode = code; return this; },
        send() { resolve(this.statusCode); },
      };
      limit({ user, headers: {} }, response, (error) => (error ? reject(error) : resolve(response.statusCode)));
    });
    equal(await Promise.all(count(5).map(() => answer('u'))), [200, 200, 200, 429, 429]);
    equal(await answer('other'), 200);
    await limit.resetKey('u');
    equal(await answer('u'), 200);
  });

  const options = name === 'ioredis' ? { storeClient: io } : { storeClient: node, useRedisPackage: true };
  const limiter = (prefix, more) =>
    new RateLimiterRedis({ ...options, keyPrefix: `interop-limit-${name}-${prefix}`, ...more });

  await named('rate-limiter-flexible: points are consumed, given back, and refused', async () => {
    const own = limiter('points', { points: 5, duration: 30 });
    const first = await own.consume('k', 2);
    equal([first.consumedPoints, first.remainingPoints, first.isFirstInDuration], [2, 3, true]);
    equal(first.msBeforeNext > 25_000 && first.msBeforeNext <= 30_000, true);
    equal((await own.consume('k', 3)).remainingPoints, 0);
    equal((await refused(own, 'k')).consumedPoints, 6);
    equal((await own.reward('k', 4)).consumedPoints, 2);
    equal((await own.penalty('k', 1)).consumedPoints, 3);
    equal((await own.get('k')).consumedPoints, 3);
    equal(await own.delete('k'), true);
    equal(await own.get('k'), null);
  });

  await named('rate-limiter-flexible: a block is a longer window', async () => {
    const own = limiter('block', { points: 1, duration: 20, blockDuration: 40 });
    await own.consume('k');
    equal((await refused(own, 'k')).msBeforeNext > 30_000, true);
    await own.block('other', 50);
    equal((await refused(own, 'other')).msBeforeNext > 30_000, true);
    await own.set('third', 1, 30);
    equal((await own.get('third')).consumedPoints, 1);
  });

  await named('rate-limiter-flexible: many at once, each counted once', async () => {
    const own = limiter('many', { points: 100, duration: 30 });
    const all = await Promise.allSettled(count(300).map(() => own.consume('k')));
    equal(all.filter((one) => one.status === 'fulfilled').length, 100);
    equal(all.map((one) => (one.value ?? one.reason).consumedPoints).sort((x, y) => x - y), count(300));
  });

  await named('rate-limiter-flexible: two limits at once, and a burst', async () => {
    const both = new RateLimiterUnion(
      limiter('narrow', { points: 1, duration: 9 }), limiter('wide', { points: 9, duration: 30 }));
    const points = Object.values(await both.consume('k')).map((one) => one.remainingPoints);
    equal(points, [0, 8]);
    const bursty = new BurstyRateLimiter(
      limiter('slow', { points: 1, duration: 30 }), limiter('burst', { points: 2, duration: 30 }));
    await bursty.consume('k');
    await bursty.consume('k');
    await bursty.consume('k');
    await refused(bursty, 'k');
  });
}

io.disconnect();
node.destroy();
finish();
