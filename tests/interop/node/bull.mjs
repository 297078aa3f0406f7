// Bull, the queue before BullMQ, whose scripts are others: jobs of all kinds and what becomes of them.
// usage: node bull.mjs PORT
import Bull from 'bull';
import { check, equal, finish } from './checks.mjs';

const port = Number(process.argv[2]);
const jobs = 300;
// The longest that an event may be waited for: what never comes is a failure of its check.
const patience = 30_000;

const options = { redis: { port, host: '127.0.0.1' }, prefix: 'interop-bull3' };
const count = (n) => Array.from({ length: n }, (_, i) => i);

function until(what, subscribe) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing came`)), patience);
    subscribe((value) => { clearTimeout(timer); resolve(value); });
  });
}

// A queue that is empty before and after.
async function withQueue(name, body, more) {
  const queue = new Bull(name, { ...options, ...more });
  queue.on('error', (error) => console.log(error.message));
  await queue.isReady();
  await queue.obliterate({ force: true });
  try {
    await body(queue);
    await queue.obliterate({ force: true });
  } finally {
    await queue.close();
  }
}

const empty = { waiting: 0, active: 0, completed: 0, failed: 0, delayed: 0, paused: 0 };

await check('each job is done once, those that fail at first too', () => withQueue('many', async (queue) => {
  const done = new Map();
  const doubled = [];
  const all = until('completed', (resolve) => queue.on('completed', ({ data: { i } }, result) => {
    if (done.has(i))
      doubled.push(i);
    done.set(i, result);
    if (done.size === jobs)
      resolve();
  }));
  queue.process(20, async ({ data: { i }, attemptsMade }) => {
    if (i % 20 === 7 && attemptsMade === 0)
      throw new Error('again');
    return i * 2;
  });
  await queue.addBulk(count(jobs).map((i) => ({
    data: { i },
    opts: { attempts: 2, priority: i % 5 === 0 ? 1 + (i % 3) : undefined, delay: i % 25 === 3 ? 20 : undefined },
  })));
  await all;
  equal(doubled, []);
  equal([...done].filter(([i, result]) => result !== i * 2), []);
  equal(await queue.getJobCounts(), { ...empty, completed: jobs });
}));

await check('priorities, and last in first out', () => withQueue('order', async (queue) => {
  const order = [];
  await queue.pause();
  const ranks = [{}, { priority: 5 }, { priority: 2 }, {}, { lifo: true }, { priority: 2 }];
  for (const [i, rank] of ranks.entries())
    await queue.add({ n: i + 1 }, rank);
  equal(await queue.getJobCounts(), { ...empty, paused: 6 });
  equal(await queue.getCountsPerPriority([0, 2, 5]), { 0: 3, 2: 2, 5: 1 });
  const all = until('completed', (resolve) => queue.on('completed', () => order.length === 6 && resolve()));
  queue.process(1, async ({ data: { n } }) => { order.push(n); });
  await queue.resume();
  await all;
  equal(order, [5, 6, 3, 2, 1, 4]);
}));

await check('what fails is kept, retried, promoted, removed', () => withQueue('states', async (queue) => {
  let works = false;
  queue.process(async ({ data }) => {
    if (!works)
      throw new Error('not yet');
    return data;
  });
  const failed = until('failed', (resolve) => queue.once('failed', resolve));
  const job = await queue.add({ a: [1, { b: null }] }, { attempts: 1 });
  await failed;
  equal([await job.getState(), (await queue.getJob(job.id)).failedReason], ['failed', 'not yet']);
  works = true;
  await job.retry();
  equal(await job.finished(), { a: [1, { b: null }] });
  const delayed = await queue.add({ late: true }, { delay: 60_000, jobId: 'mine' });
  equal(await delayed.getState(), 'delayed');
  await delayed.promote();
  equal(await delayed.finished(), { late: true });
  equal(await queue.getJobCounts(), { ...empty, completed: 2 });
  await delayed.remove();
  equal(await queue.getJob('mine'), null);
  equal((await queue.clean(0, 'completed')).length, 1);
  equal(await queue.getJobCounts(), empty);
}));

await check('progress, logs, data', () => withQueue('notes', async (queue) => {
  queue.process(async (job) => {
    await job.progress({ percent: 50 });
    await job.log('a line');
    await job.log('another');
    await job.update({ changed: true });
    return 'done';
  });
  const progress = until('progress', (resolve) => queue.on('progress', (_, value) => resolve(value)));
  const job = await queue.add({ changed: false });
  equal(await job.finished(), 'done');
  equal(await progress, { percent: 50 });
  equal(await queue.getJobLogs(job.id), { logs: ['a line', 'another'], count: 2 });
  equal((await queue.getJob(job.id)).data, { changed: true });
}));

await check('a limit of jobs in a while', () => withQueue('limited', async (queue) => {
  const times = [];
  const all = until('completed', (resolve) => queue.on('completed', () => times.length === 6 && resolve()));
  queue.process(5, async () => { times.push(Date.now()); });
  await queue.addBulk(count(6).map((i) => ({ data: { i } })));
  await all;
  equal(times[5] - times[0] >= 500, true);
}, { limiter: { max: 2, duration: 300 } }));

await check('repeated jobs, and the same job once', () => withQueue('repeated', async (queue) => {
  let runs = 0;
  const twice = until('completed', (resolve) => queue.on('completed', () => ++runs === 2 && resolve()));
  queue.process(async () => {});
  await queue.add({}, { repeat: { every: 100 } });
  await twice;
  const [repeated] = await queue.getRepeatableJobs();
  equal(repeated.every, 100);
  await queue.removeRepeatableByKey(repeated.key);
  equal(await queue.getRepeatableJobs(), []);
  await queue.pause(true);
  const [first, second] = [await queue.add({ v: 1 }, { jobId: 'x' }), await queue.add({ v: 2 }, { jobId: 'x' })];
  equal([first.id, second.id, (await queue.getJob('x')).data], ['x', 'x', { v: 1 }]);
  await queue.empty();
}));

await check('a job whose worker is gone is done by another', () => withQueue('stalled', async (queue) => {
  const settings = { lockDuration: 300, lockRenewTime: 100_000, stalledInterval: 200 };
  const gone = new Bull('stalled', { ...options, settings: { ...settings, stalledInterval: 0 } });
  const begun = until('active', (resolve) => gone.once('active', resolve));
  gone.process(() => new Promise(() => {}));
  const job = await queue.add({ n: 1 });
  await begun;
  const other = new Bull('stalled', { ...options, settings });
  const stalled = until('stalled', (resolve) => other.once('stalled', resolve));
  other.process(async ({ data: { n } }) => n + 1);
  equal((await stalled).id, job.id);
  equal(await job.finished(), 2);
  await Promise.all([gone.close(true), other.close()]);
}));

finish();
// A worker that never ends was left behind on purpose, and keeps its timers.
process.exit();
