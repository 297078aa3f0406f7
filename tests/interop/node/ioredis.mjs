// usage: node ioredis.mjs PORT [CA], with a CA over TLS
import { readFileSync } from 'node:fs';
import Redis from 'ioredis';
import { check, equal, finish, rejects } from './checks.mjs';

const port = Number(process.argv[2]);
const tls = process.argv[3] ? { ca: readFileSync(process.argv[3]) } : undefined;
const redis = new Redis({ port, tls, host: '127.0.0.1', maxRetriesPerRequest: 1 });

await check('ping', async () => equal(await redis.ping(), 'PONG'));
await check('set and get', async () => {
  equal(await redis.set('io:k', 'v'), 'OK');
  equal(await redis.get('io:k'), 'v');
  equal(await redis.get('io:absent'), null);
});
await check('binary', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  await redis.set('io:bin', bytes);
  equal(await redis.getBuffer('io:bin'), bytes);
});
await check('large value', async () => {
  const large = Buffer.alloc(5 << 20, 'x');
  await redis.set('io:large', large);
  equal((await redis.getBuffer('io:large')).equals(large), true);
});
await check('options of SET', async () => {
  await redis.del('io:o');
  equal(await redis.set('io:o', 'v', 'EX', 100, 'NX'), 'OK');
  equal(await redis.set('io:o', 'w', 'EX', 100, 'NX'), null);
  equal(await redis.set('io:o', 'w', 'KEEPTTL', 'GET'), 'v');
  const ttl = await redis.ttl('io:o');
  equal(ttl > 95 && ttl <= 100, true);
});
await check('many keys', async () => {
  await redis.mset({ 'io:a': '1', 'io:b': '2' });
  equal(await redis.mget('io:a', 'io:b', 'io:c'), ['1', '2', null]);
  equal(await redis.del('io:a', 'io:b', 'io:c'), 2);
});
await check('pipeline', async () => {
  const pipeline = redis.pipeline();
  for (let i = 0; i < 1000; i++)
    pipeline.set(`io:p${i}`, i).incr(`io:p${i}`);
  const replies = await pipeline.exec();
  equal(replies.length, 2000);
  equal(replies[1999], [null, 1000]);
});
await check('transaction', async () => {
  await redis.del('io:t');
  equal(await redis.multi().set('io:t', '1').incr('io:t').get('io:t').exec(), [[null, 'OK'], [null, 2], [null, '2']]);
  await redis.multi({ pipeline: false });
  equal(await redis.set('io:t', '7'), 'QUEUED');
  equal(await redis.exec(), [[null, 'OK']]);
  const other = new Redis({ port, tls });
  await redis.watch('io:t');
  await other.set('io:t', '8');
  equal(await redis.multi().set('io:t', '9').exec(), null);
  equal(await redis.get('io:t'), '8');
  await other.quit();
});
await check('automatic pipelining', async () => {
  const piped = new Redis({ port, tls, enableAutoPipelining: true });
  equal(await Promise.all(['io:p1', 'io:p2', 'io:p3'].map((key) => piped.get(key))), ['2', '3', '4']);
  await piped.quit();
});
await check('errors', async () => {
  await redis.set('io:text', 'abc');
  await rejects(redis.incr('io:text'), 'ERR value is not an integer or out of range');
  await rejects(redis.call('nosuchcommand'), "ERR unknown command 'nosuchcommand'");
});
await check('scan stream', async () => {
  const keys = new Set();
  for await (const page of redis.scanStream({ match: 'io:p*', count: 100 }))
    page.forEach((key) => keys.add(key));
  equal(keys.size, 1000);
});
await check('database and name', async () => {
  const other = new Redis({ port, tls, db: 3, connectionName: 'interop' });
  await other.set('io:db', '3');
  equal(await redis.get('io:db'), null);
  equal(await other.client('GETNAME'), 'interop');
  await other.flushdb();
  equal(await other.quit(), 'OK');
});
await check('many connections', async () => {
  const clients = Array.from({ length: 50 }, () => new Redis({ port, tls }));
  equal(await Promise.all(clients.map((client, i) => client.set(`io:c${i}`, i))), Array(50).fill('OK'));
  equal(await Promise.all(clients.map((client, i) => client.get(`io:c${i}`))), clients.map((_, i) => String(i)));
  clients.forEach((client) => client.disconnect());
});
await check('expiry', async () => {
  await redis.set('io:gone', 'v', 'PX', 30);
  await new Promise((resolve) => setTimeout(resolve, 100));
  equal(await redis.get('io:gone'), null);
});
await check('user with rights', async () => {
  const rights = ['~io:acl:*', '+@read', '+acl|whoami', '+info'];
  equal(await redis.acl('SETUSER', 'io-user', 'reset', 'on', '>secret', ...rights), 'OK');
  const user = new Redis({ port, tls, username: 'io-user', password: 'secret', maxRetriesPerRequest: 1 });
  equal(await user.acl('WHOAMI'), 'io-user');
  equal(await user.get('io:acl:k'), null);
  await rejects(user.get('io:k'), 'NOPERM this user has no permissions to access one of the keys');
  await rejects(user.set('io:acl:k', 'v'), "NOPERM this user has no permissions to run the 'set' command");
  user.disconnect();
  const stranger = new Redis({ port, tls, username: 'io-user', password: 'wrong', retryStrategy: () => null });
  stranger.on('error', () => {});
  await rejects(stranger.get('io:acl:k'), 'WRONGPASS invalid username-password pair or user is disabled');
  stranger.disconnect();
  equal(await redis.acl('DELUSER', 'io-user'), 1);
});
await check('publish and subscribe', async () => {
  const listener = new Redis({ port, tls, host: '127.0.0.1', maxRetriesPerRequest: 1 });
  const got = [];
  let wake = () => {};
  const note = (text) => { got.push(text); wake(); };
  listener.on('message', (channel, text) => note(`${channel} ${text}`));
  listener.on('pmessage', (pattern, channel, text) => note(`${pattern} ${channel} ${text}`));
  listener.on('smessage', (channel, text) => note(`shard ${channel} ${text}`));
  equal(await listener.subscribe('io:news', 'io:more'), 2);
  equal(await listener.psubscribe('io:n*'), 3);
  equal(await listener.ssubscribe('io:shard'), 1);
  equal(await redis.publish('io:news', 'ü'), 2);
  equal(await redis.spublish('io:shard', '1'), 1);
  while (got.length < 3) await new Promise((resolve) => { wake = resolve; });
  equal(got, ['io:news ü', 'io:n* io:news ü', 'shard io:shard 1']);
  equal(await redis.pubsub('NUMSUB', 'io:news'), ['io:news', 1]);
  await rejects(listener.get('io:k'), 'subscriber mode');
  equal(await listener.unsubscribe('io:news', 'io:more'), 1);
  equal(await listener.punsubscribe('io:n*'), 0);
  equal(await redis.publish('io:news', 'x'), 0);
  listener.disconnect();
});
await check('blocking queue', async () => {
  const workers = Array.from({ length: 4 }, () => redis.duplicate());
  const done = [];
  const work = async (own) => {
    for (;;) {
      const job = await own.blpop('io:high', 'io:low', 30);
      if (!job || job[1] === 'end') return;
      done.push(job[1]);
    }
  };
  const ends = workers.map(work);
  for (let i = 0; i < 100; i++) await redis.rpush(i % 3 ? 'io:low' : 'io:high', `job${i}`);
  await redis.rpush('io:low', ...workers.map(() => 'end'));
  await Promise.all(ends);
  equal(done.length, 100);
  equal(new Set(done).size, 100);
  equal(await workers[0].bzpopmin('io:none', 0.05), null);
  workers.forEach((own) => own.disconnect());
});
await check('scripts', async () => {
  redis.defineCommand('slide', {
    numberOfKeys: 1,
    lua: `local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
      local used = redis.call('ZCARD', KEYS[1])
      if used >= most then return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] end
      redis.call('ZADD', KEYS[1], now, now .. ':' .. used)
      redis.call('PEXPIRE', KEYS[1], window)
      return used + 1`,
  });
  await redis.del('io:slide');
  equal(await redis.slide('io:slide', 1000, 100, 2), 1);
  await redis.script('FLUSH');
  equal(await redis.slide('io:slide', 1050, 100, 2), 2);
  equal(await redis.slide('io:slide', 1060, 100, 2), '1000');
  equal(await redis.slide('io:slide', 1101, 100, 2), 2);
  const replies = await redis.pipeline().slide('io:slide', 1300, 100, 2).slide('io:slide', 1301, 100, 2).exec();
  equal(replies, [[null, 1], [null, 2]]);
  await rejects(redis.eval("return redis.error_reply('MINE no')", 0), 'MINE no');
});
await check('functions', async () => {
  const library = `#!lua name=io_library
    local served = 0
    redis.register_function('io_add', function(keys, args)
      served = served + 1
      return {redis.call('HINCRBY', keys[1], args[1], args[2]), served}
    end)
    redis.register_function{function_name = 'io_read', flags = {'no-writes'},
      callback = function(keys) return redis.call('HGETALL', keys[1]) end}`;
  await redis.del('io:f');
  equal(await redis.function('LOAD', 'REPLACE', library), 'io_library');
  await rejects(redis.function('LOAD', library), "ERR Library 'io_library' already exists");
  equal(await redis.fcall('io_add', 1, 'io:f', 'ü', 5), [5, 1]);
  const replies = await redis.pipeline().fcall('io_add', 1, 'io:f', 'ü', 1).fcall_ro('io_read', 1, 'io:f').exec();
  equal(replies, [[null, [6, 2]], [null, ['ü', '6']]]);
  await rejects(redis.fcall_ro('io_add', 1, 'io:f', 'ü', 1), 'Can not execute a script with write flag');
  await rejects(redis.fcall('io_none', 0), 'ERR Function not found');
  const [[, name, , engine, , functions, , code]] = await redis.function('LIST', 'LIBRARYNAME', 'io_*', 'WITHCODE');
  equal([name, engine, functions.length, code], ['io_library', 'LUA', 2, library]);
  const payload = await redis.callBuffer('FUNCTION', 'DUMP');
  equal(await redis.function('DELETE', 'io_library'), 'OK');
  await rejects(redis.fcall('io_read', 1, 'io:f'), 'ERR Function not found');
  equal(await redis.function('RESTORE', payload, 'REPLACE'), 'OK');
  await rejects(redis.function('RESTORE', payload), 'io_library already exists');
  equal(await redis.fcall('io_add', 1, 'io:f', 'ü', 1), [7, 1]);
  const [, running, , engines] = await redis.function('STATS');
  equal([running, engines[0], engines[1][1] >= 1, engines[1][3] >= 2], [null, 'LUA', true, true]);
  await rejects(redis.function('KILL'), 'NOTBUSY');
  equal(await redis.function('DELETE', 'io_library'), 'OK');
});
await check('info', async () => equal((await redis.info()).includes('redis_version:7.0.15'), true));

redis.disconnect();
finish();
