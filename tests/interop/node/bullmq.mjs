// BullMQ, whose scripts are the longest that applications send: jobs of all kinds, retries, delays, priorities, a tree of
// jobs. Usage: bullmq.mjs PORT [JOBS]
import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { check, equal, finish } from './checks.mjs';

const jobs = Number(process.argv[3] ?? 2000);
const connection = new Redis({ port: Number(process.argv[2]), maxRetriesPerRequest: null });
const options = { connection, prefix: 'interop-bull', skipVersionCheck: true };
const batch = 500;

function job(i) {
  return {
    name: 'job', data: { i },
    opts: { attempts: 2, priority: i % 5 === 0 ? 1 + (i % 3) : undefined, delay: i % 50 === 3 ? 20 : undefined },
  };
}

await check('each job is done once, those that fail at first too', async () => {
  const queue = new Queue('jobs', options);
  await queue.obliterate({ force: true });
  const results = new Map();
  const errors = [];
  const worker = new Worker('jobs', async ({ data: { i }, attemptsMade }) => {
    if (i % 100 === 7 && attemptsMade === 0)
      throw new Error('again');
    return i * 2;
  }, { ...options, concurrency: 50 });
  worker.on('error', (error) => errors.push(error.message));
  const all = new Promise((resolve) => worker.on('completed', ({ data: { i } }, result) => {
    if (results.has(i))
      errors.push(`${i} was done twice`);
    results.set(i, result);
    if (results.size === jobs)
      resolve();
  }));
  const start = performance.now();
  for (let first = 0; first < jobs; first += batch)
    await queue.addBulk(Array.from({ length: batch }, (_, k) => job(first + k)));
  await all;
  console.log(`${Math.round(jobs / (performance.now() - start) * 1000)} jobs a second`);
  equal(errors, []);
  equal([...results].filter(([i, result]) => result !== i * 2), []);
  await worker.close();
  equal(await queue.getJobCounts('completed', 'failed', 'active', 'waiting', 'delayed', 'prioritized'),
    { completed: jobs, failed: 0, active: 0, waiting: 0, delayed: 0, paused: 0, prioritized: 0 });
  await queue.obliterate({ force: true });
  equal(await queue.getJobCountByTypes('completed'), 0);
  await queue.close();
});

await check('a parent waits for its children', async () => {
  const flow = new FlowProducer(options);
  const children = new Worker('children', async ({ data: { n } }) => n, options);
  const parents = new Worker(
    'parents', async (parent) => Object.values(await parent.getChildrenValues()).reduce((a, b) => a + b, 0), options);
  const events = new QueueEvents('parents', options);
  await events.waitUntilReady();
  const tree = await flow.add({
    name: 'parent', queueName: 'parents',
    children: [1, 2, 3].map((n) => ({ name: 'child', data: { n }, queueName: 'children' })),
  });
  equal(await tree.job.waitUntilFinished(events, 20000), 6);
  await Promise.all([children.close(), parents.close(), events.close(), flow.close()]);
});

connection.disconnect();
finish();
