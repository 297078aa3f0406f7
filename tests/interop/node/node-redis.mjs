// usage: node node-redis.mjs PORT
import { createClient, RESP_TYPES } from 'redis';
import { check, equal, finish, rejects } from './checks.mjs';

const port = Number(process.argv[2]);

for (const RESP of [2, 3]) {
  const connect = (options) => createClient({ socket: { port, host: '127.0.0.1' }, RESP, ...options })
    .on('error', (error) => console.log(error.message)).connect();
  const client = await connect();
  const named = (name, body) => check(`${name} (RESP${RESP})`, body);
  await client.flushDb();

  await named('ping', async () => equal(await client.ping(), 'PONG'));
  await named('set and get', async () => {
    equal(await client.set('nr:k', 'v'), 'OK');
    equal(await client.get('nr:k'), 'v');
    equal(await client.get('nr:absent'), null);
  });
  await named('binary', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await client.set('nr:bin', bytes);
    equal(await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).get('nr:bin'), bytes);
  });
  await named('options of SET', async () => {
    equal(await client.set('nr:o', 'v', { expiration: { type: 'EX', value: 100 }, condition: 'NX' }), 'OK');
    equal(await client.set('nr:o', 'w', { condition: 'NX' }), null);
    equal(await client.set('nr:o', 'w', { expiration: 'KEEPTTL', GET: true }), 'v');
    const ttl = await client.pTTL('nr:o');
    equal(ttl > 95_000 && ttl <= 100_000, true);
  });
  await named('getEx, getDel, rename, copy', async () => {
    await client.set('nr:g', 'v');
    equal(await client.getEx('nr:g', { type: 'EX', value: 50 }), 'v');
    equal(await client.rename('nr:g', 'nr:h'), 'OK');
    equal(await client.copy('nr:h', 'nr:i'), 1);
    equal(await client.getDel('nr:h'), 'v');
    equal(await client.exists(['nr:g', 'nr:h', 'nr:i']), 1);
  });
  await named('numbers', async () => {
    equal(await client.incrBy('nr:n', 41), 41);
    equal(await client.incr('nr:n'), 42);
    equal(await client.incrByFloat('nr:f', 0.5), '0.5');
  });
  await named('automatic pipelining', async () => {
    const keys = Array.from({ length: 1000 }, (_, i) => `nr:p${i}`);
    await Promise.all(keys.map((key, i) => client.set(key, String(i))));
    equal(await client.mGet(keys), keys.map((_, i) => String(i)));
  });
  await named('scan iterator', async () => {
    const keys = new Set();
    for await (const page of client.scanIterator({ MATCH: 'nr:p*', COUNT: 100 }))
      page.forEach((key) => keys.add(key));
    equal(keys.size, 1000);
  });
  await named('errors', async () => {
    await client.set('nr:text', 'abc');
    await rejects(client.incr('nr:text'), 'ERR value is not an integer or out of range');
    await rejects(client.sendCommand(['nosuchcommand']), "ERR unknown command 'nosuchcommand'");
  });
  await named('database and name', async () => {
    const other = await connect({ database: 4, name: 'interop' });
    await other.set('nr:db', '4');
    equal(await client.get('nr:db'), null);
    equal(await other.clientGetName(), 'interop');
    equal((await other.clientInfo()).db, 4);
    await other.flushDb();
    await other.close();
  });
  await named('configuration', async () => {
    await client.configSet('maxmemory-policy', 'allkeys-lru');
    equal((await client.configGet('maxmemory-policy'))['maxmemory-policy'], 'allkeys-lru');
  });
  await named('commands', async () => {
    equal((await client.commandInfo(['get']))[0].arity, 2);
    equal(await client.commandGetKeys(['MSET', 'a', '1', 'b', '2']), ['a', 'b']);
  });
  await named('functions', async () => {
    const library = `#!lua name=nr_library
      redis.register_function('nr_add', function(keys, args)
        return redis.call('HINCRBY', keys[1], args[1], args[2])
      end)
      redis.register_function{function_name = 'nr_read', description = 'all', flags = {'no-writes'},
        callback = function(keys)
          redis.setresp(3)
          return redis.call('HGETALL', keys[1])
        end}
      redis.register_function('nr_number', function() redis.setresp(3) return {double = 1.5} end)`;
    await client.del('nr:f');
    equal(await client.functionLoad(library, { REPLACE: true }), 'nr_library');
    await rejects(client.functionLoad(library), "ERR Library 'nr_library' already exists");
    equal(await client.fCall('nr_add', { keys: ['nr:f'], arguments: ['a', '5'] }), 5);
    const all = await client.fCallRo('nr_read', { keys: ['nr:f'] });
    equal(RESP === 2 ? all : { ...all }, RESP === 2 ? ['a', '5'] : { a: '5' });
    equal(Number(await client.fCall('nr_number')), 1.5);
    await rejects(client.fCallRo('nr_add', { keys: ['nr:f'], arguments: ['a', '5'] }), 'write flag');
    const [listed] = await client.functionListWithCode({ LIBRARYNAME: 'nr_*' });
    const functions = listed.functions.map((one) => [one.name, one.description, [...one.flags]]).sort();
    equal([listed.library_name, listed.engine, listed.library_code], ['nr_library', 'LUA', library]);
    equal(functions, [['nr_add', null, []], ['nr_number', null, []], ['nr_read', 'all', ['no-writes']]]);
    equal((await client.functionList({ LIBRARYNAME: 'nr_none' })).length, 0);
    const payload = await client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).functionDump();
    equal(await client.functionDelete('nr_library'), 'OK');
    equal(await client.functionRestore(payload, { mode: 'REPLACE' }), 'OK');
    await rejects(client.functionRestore(payload, { mode: 'APPEND' }), 'nr_library already exists');
    equal(await client.fCall('nr_add', { keys: ['nr:f'], arguments: ['a', '1'] }), 6);
    const { running_script: running, engines } = await client.functionStats();
    equal([running, engines.LUA.functions_count >= 3], [null, true]);
    equal(await client.functionDelete('nr_library'), 'OK');
    await rejects(client.functionDelete('nr_library'), 'ERR Library not found');
  });

  await client.close();
}

finish();
