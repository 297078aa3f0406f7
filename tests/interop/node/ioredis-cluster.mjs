// usage: node ioredis-cluster.mjs PORT..., the servers of a cluster
import Redis from 'ioredis';
import { check, equal, finish, rejects } from './checks.mjs';

const ports = process.argv.slice(2).map(Number);
const redis = new Redis.Cluster([{ host: '127.0.0.1', port: ports[0] }], { redisOptions: { maxRetriesPerRequest: 1 } });

await check('ping', async () => equal(await redis.ping(), 'PONG'));
await check('all servers are found', async () => {
  await redis.get('ic:any');
  equal(redis.nodes('master').map((one) => one.options.port).sort(), [...ports].sort());
});
await check('keys of all slots', async () => {
  await Promise.all(Array.from({ length: 200 }, (_, i) => redis.set(`ic:${i}`, `v${i}`)));
  const values = await Promise.all(Array.from({ length: 200 }, (_, i) => redis.get(`ic:${i}`)));
  equal(values, Array.from({ length: 200 }, (_, i) => `v${i}`));
  const counts = await Promise.all(redis.nodes('master').map((one) => one.dbsize()));
  equal(counts.every((count) => count > 20), true);
});
await check('keys with a tag', async () => {
  equal(await redis.mset('{ic:t}a', 1, '{ic:t}b', 2), 'OK');
  equal(await redis.mget('{ic:t}a', '{ic:t}b'), ['1', '2']);
  await rejects(redis.mget('ic:1', 'ic:2'), 'CROSSSLOT');
});
await check('a transaction of one slot', async () => {
  const replies = await redis.multi().set('{ic:m}a', 1).incr('{ic:m}a').exec();
  equal(replies, [[null, 'OK'], [null, 2]]);
});
await check('a pipeline of one server', async () => {
  const replies = await redis.pipeline().set('{ic:p}a', 1).get('{ic:p}a').exec();
  equal(replies, [[null, 'OK'], [null, '1']]);
});
await check('a wait, and who ends it', async () => {
  const waiter = redis.duplicate();
  const wait = waiter.blpop('ic:queue', 30);
  await redis.rpush('ic:queue', 'job');
  equal(await wait, ['ic:queue', 'job']);
  waiter.disconnect();
});
await check('channels of shards', async () => {
  const direct = redis.nodes('master').map((one) => one.duplicate());
  const replies = await Promise.all(direct.map((one) => one.call('SPUBLISH', 'ic:news', 'x').catch((error) => error.message)));
  equal(replies.filter((reply) => reply === 0).length, 1);
  equal(replies.filter((reply) => String(reply).startsWith('MOVED ')).length, 2);
  direct.forEach((one) => one.disconnect());
});

redis.disconnect();
finish();
