// Locks whose scripts are their own: both redlocks in use, and redis-semaphore.
// usage: node locks.mjs PORT
import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import Redlock, { ExecutionError, ResourceLockedError } from 'redlock';
import Redlock4 from 'redlock4';
import { MultiSemaphore, Mutex, RedlockMutex, Semaphore, TimeoutError } from 'redis-semaphore';
import { check, equal, finish } from './checks.mjs';

const port = Number(process.argv[2]);
const connect = (db) => new Redis({ port, db, host: '127.0.0.1', maxRetriesPerRequest: 1 });
const redis = connect(0);
// Several servers to a redlock: their databases have each a key of the same name.
const three = [1, 2, 3].map(connect);
for (const client of [redis, ...three]) {
  const stale = await client.keys('*interop-lock*');
  if (stale.length)
    await client.del(stale);
}
await redis.script('FLUSH');

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const count = (n) => Array.from({ length: n }, (_, i) => i + 1);
const once = { retryCount: 0 };
const patient = { retryCount: 500, retryDelay: 10, retryJitter: 10 };

// most PLACES BODY: how many of 8 were inside at the same time at most, and how many have been. The first wait until
// PLACES are: otherwise a busy machine would see fewer than are let in.
async function most(places, body) {
  let inside = 0;
  let highest = 0;
  let done = 0;
  let full;
  const met = new Promise((resolve) => { full = resolve; });
  await Promise.all(count(8).map((n) => body(n, async () => {
    highest = Math.max(highest, ++inside);
    if (inside === places)
      full();
    await Promise.race([met, later(10_000)]);
    await later(5);
    inside--;
    done++;
  })));
  return [highest, done];
}

// alone BODY: the same for a lock, in which one has a place.
const alone = (body) => most(1, body);

for (const [servers, clients] of [['one server', [redis]], ['three servers', three]]) {
  const named = (what, body) => check(`redlock 5: ${what} (${servers})`, body);
  const locks = new Redlock(clients, once);
  locks.on('error', (error) => error instanceof ResourceLockedError || console.log(error.message));

  await named('is acquired, extended, released', async () => {
    const lock = await locks.acquire(['interop-lock-5'], 20_000);
    equal(await clients[0].get('interop-lock-5'), lock.value);
    const longer = await lock.extend(90_000);
    equal(longer.value, lock.value);
    equal(await clients[0].pttl('interop-lock-5') > 60_000, true);
    await longer.release();
    equal(await clients[0].exists('interop-lock-5'), 0);
  });

  await named('who comes second is refused, until the first has released', async () => {
    const lock = await locks.acquire(['interop-lock-5a', 'interop-lock-5b'], 20_000);
    await assert.rejects(locks.acquire(['interop-lock-5b', 'interop-lock-5c'], 20_000), ExecutionError);
    equal(await clients[0].exists('interop-lock-5c'), 0);
    await lock.release();
    await (await locks.acquire(['interop-lock-5b'], 20_000)).release();
  });

  await named('what is lost is neither extended nor released', async () => {
    const lock = await locks.acquire(['interop-lock-5d'], 20_000);
    await Promise.all(clients.map((client) => client.set('interop-lock-5d', 'stolen')));
    await assert.rejects(lock.extend(20_000), ExecutionError);
    await assert.rejects(lock.release(), ExecutionError);
    equal(await clients[0].get('interop-lock-5d'), 'stolen');
  });

  await named('a lock ends by itself', async () => {
    await locks.acquire(['interop-lock-5e'], 200);
    await later(300);
    await (await locks.acquire(['interop-lock-5e'], 20_000)).release();
  });

  await named('of many one at a time has it, by using', async () => {
    equal(await alone((_, body) => locks.using(['interop-lock-5f'], 20_000, patient, body)), [1, 8]);
  });

  await named('using extends what would end', async () => {
    const settings = { ...patient, automaticExtensionThreshold: 500 };
    await locks.using(['interop-lock-5g'], 700, settings, async (signal) => {
      await later(1000);
      equal(signal.aborted, false);
      equal(await clients[0].exists('interop-lock-5g'), 1);
    });
    equal(await clients[0].exists('interop-lock-5g'), 0);
  });

  const named4 = (what, body) => check(`redlock 4: ${what} (${servers})`, body);
  const locks4 = new Redlock4(clients, once);

  await named4('is acquired, extended, unlocked', async () => {
    const lock = await locks4.lock(['interop-lock-4a', 'interop-lock-4b'], 20_000);
    await assert.rejects(locks4.lock('interop-lock-4b', 20_000), { name: 'LockError' });
    await lock.extend(90_000);
    equal(await clients[0].pttl('interop-lock-4b') > 60_000, true);
    await lock.unlock();
    equal(await clients[0].exists('interop-lock-4a', 'interop-lock-4b'), 0);
    await assert.rejects(lock.extend(20_000), { name: 'LockError' });
  });

  await named4('of many one at a time has it', async () => {
    const patience = new Redlock4(clients, patient);
    equal(await alone(async (_, body) => {
      const lock = await patience.lock('interop-lock-4c', 20_000);
      await body();
      await lock.unlock();
    }), [1, 8]);
  });
}

const quick = { acquireAttemptsLimit: 1, lockTimeout: 20_000, refreshInterval: 0 };
const eager = { lockTimeout: 20_000, acquireTimeout: 20_000, retryInterval: 5, refreshInterval: 0 };

// held LOCK BODY: runs it while it has the lock.
async function held(lock, body) {
  await lock.acquire();
  await body();
  await lock.release();
}

await check('redis-semaphore: a mutex is of one', async () => {
  const [first, second] = [new Mutex(redis, 'interop-lock-m', quick), new Mutex(redis, 'interop-lock-m', quick)];
  await first.acquire();
  equal(await second.tryAcquire(), false);
  await assert.rejects(second.acquire(), TimeoutError);
  await first.release();
  equal(await second.tryAcquire(), true);
  await second.release();
  equal(await alone((_, body) => held(new Mutex(redis, 'interop-lock-n', eager), body)), [1, 8]);
});

await check('redis-semaphore: a mutex is refreshed while it is held', async () => {
  let lost = 0;
  const mutex = new Mutex(redis, 'interop-lock-r', { lockTimeout: 1500, refreshInterval: 50, onLockLost: () => lost++ });
  await mutex.acquire();
  await later(1800);
  equal([lost, mutex.isAcquired, await redis.exists('mutex:interop-lock-r')], [0, true, 1]);
  await redis.del('mutex:interop-lock-r');
  await later(300);
  equal([lost, mutex.isAcquired], [1, false]);
});

await check('redis-semaphore: a semaphore is of so many', async () => {
  equal(await most(3, (_, body) => held(new Semaphore(redis, 'interop-lock-s', 3, eager), body)), [3, 8]);
  equal(await redis.zcard('semaphore:interop-lock-s'), 0);
});

await check('redis-semaphore: a semaphore is left to others when its time is over', async () => {
  const short = { ...quick, lockTimeout: 1000 };
  await new Semaphore(redis, 'interop-lock-t', 1, short).acquire();
  const next = new Semaphore(redis, 'interop-lock-t', 1, short);
  equal(await next.tryAcquire(), false);
  await later(1200);
  equal(await next.tryAcquire(), true);
});

await check('redis-semaphore: several permits at once', async () => {
  const of = (permits) => new MultiSemaphore(redis, 'interop-lock-p', 5, permits, { ...quick, refreshInterval: 20 });
  const [three3, two, one] = [of(3), of(2), of(1)];
  await three3.acquire();
  await two.acquire();
  equal(await one.tryAcquire(), false);
  await later(80);
  equal([three3.isAcquired, await redis.zcard('semaphore:interop-lock-p')], [true, 5]);
  await two.release();
  equal(await one.tryAcquire(), true);
  await Promise.all([three3.release(), one.release()]);
  equal(await redis.exists('semaphore:interop-lock-p'), 0);
});

await check('redis-semaphore: a mutex on three servers', async () => {
  equal(await alone((_, body) => held(new RedlockMutex(three, 'interop-lock-q', eager), body)), [1, 8]);
});

for (const client of [redis, ...three])
  client.disconnect();
finish();
