<?php

// Laravel's queue, cache, locks and limits, with the scripts that its packages carry, by both of its clients for Redis.
// usage: php laravel.php PORT [CLIENT]     both clients at once, or phpredis or predis
declare(strict_types=1);

// Debian has it for an older PHP, which knew no deprecations of this kind.
error_reporting(E_ALL & ~E_DEPRECATED);

require_once 'Illuminate/Redis/autoload.php';
require_once 'Illuminate/Queue/autoload.php';
require_once 'Illuminate/Cache/autoload.php';
require_once 'Predis/autoload.php';

use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\RedisStore;
use Illuminate\Cache\Repository;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Contracts\Redis\LimiterTimeoutException;
use Illuminate\Queue\RedisQueue;
use Illuminate\Redis\RedisManager;

// Each client has one of its own.
const DATABASES = ['phpredis' => 7, 'predis' => 8];
const PROCESSES = 4;

$passed = 0;
$failed = 0;

function check(string $name, callable $body): void
{
    global $passed, $failed;
    try {
        $body();
        $passed++;
    } catch (Throwable $error) {
        $failed++;
        echo "FAILED $name: {$error->getMessage()} ({$error->getFile()}:{$error->getLine()})\n", $error->getTraceAsString(), "\n";
    }
}

function equal(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        throw new RuntimeException('expected ' . json_encode($expected) . ', was ' . json_encode($actual));
    }
}

function throws(string $kind, callable $body): void
{
    try {
        $body();
    } catch (Throwable $error) {
        equal($kind, get_class($error));

        return;
    }
    throw new RuntimeException("no $kind");
}

// The clients, with connections of their own.
function redis(string $client): RedisManager
{
    global $argv;
    $server = ['host' => '127.0.0.1', 'port' => (int) $argv[1], 'database' => DATABASES[$client]];

    return new RedisManager(new Container(), $client, ['default' => $server, 'options' => ['prefix' => 'interop:']]);
}

// Several processes of the body, which is given its number and clients of its own; all of them have to end well.
function processes(string $client, callable $body): void
{
    $children = [];
    for ($n = 0; $n < PROCESSES; $n++) {
        $child = pcntl_fork();
        if ($child === 0) {
            try {
                $body($n, redis($client));
                $code = 0;
            } catch (Throwable $error) {
                echo "in a process: {$error->getMessage()}\n";
                $code = 1;
            }
            // Without the destructors of the parent's objects, whose connections are its own.
            posix_kill(getmypid(), $code === 0 ? SIGKILL : SIGABRT);
        }
        $children[] = $child;
    }
    $ends = array_map(function ($child) {
        pcntl_waitpid($child, $status);

        return pcntl_wtermsig($status);
    }, $children);
    equal(array_fill(0, PROCESSES, SIGKILL), $ends);
}

class Doubling
{
    public static array $done = [];

    public function fire($job, array $data): void
    {
        self::$done[] = $data['n'] * 2;
        $job->delete();
    }
}

function queue(RedisManager $redis, int $retryAfter = 60, ?int $blockFor = null): RedisQueue
{
    $queue = new RedisQueue($redis, 'default', null, $retryAfter, $blockFor);
    $queue->setContainer(new Container());
    $queue->setConnectionName('redis');

    return $queue;
}

function fires(RedisQueue $queue): array
{
    Doubling::$done = [];
    while ($job = $queue->pop()) {
        $job->fire();
    }

    return Doubling::$done;
}

function queues(string $client): void
{
    $redis = redis($client);
    $queue = queue($redis);

    check("$client: jobs in their order, with what they were given", function () use ($queue) {
        foreach ([1, 2, 3] as $n) {
            $queue->push(Doubling::class, ['n' => $n, 'deep' => ['ü', null, 1.5, ['a' => []]]]);
        }
        equal(3, $queue->size());
        $job = $queue->pop();
        equal([1, ['ü', null, 1.5, ['a' => []]]], [$job->payload()['data']['n'], $job->payload()['data']['deep']]);
        equal([1, 3], [$job->attempts(), $queue->size()]);
        $job->delete();
        equal([[4, 6], 0, null], [fires($queue), $queue->size(), $queue->pop()]);
    });

    check("$client: many at once, in a transaction", function () use ($queue) {
        $queue->bulk(array_fill(0, 250, Doubling::class), ['n' => 4]);
        equal([250, 250, 0], [$queue->size(), count(fires($queue)), $queue->size()]);
    });

    check("$client: delayed jobs, and those that are released", function () use ($queue) {
        // Times are whole seconds: what is due in one may be due at once.
        $queue->later(4, Doubling::class, ['n' => 5]);
        $queue->later(3600, Doubling::class, ['n' => 6]);
        $queue->push(Doubling::class, ['n' => 7]);
        $job = $queue->pop();
        $job->release(0);
        $again = $queue->pop();
        equal([7, 2], [$again->payload()['data']['n'], $again->attempts()]);
        $again->release(4);
        equal([[], 3], [fires($queue), $queue->size()]);
        sleep(5);
        $done = fires($queue);
        sort($done);
        equal([[10, 14], 1], [$done, $queue->size()]);
        equal([1, 0], [$queue->clear('default'), $queue->size()]);
    });

    check("$client: more delayed jobs than one call takes", function () use ($queue) {
        for ($n = 0; $n < 250; $n++) {
            $queue->later(-1, Doubling::class, ['n' => $n]);
        }
        $done = fires($queue);
        sort($done);
        equal(range(0, 498, 2), $done);
    });

    check("$client: a job whose worker is gone is done by another", function () use ($redis) {
        $queue = queue($redis, 4);
        $queue->push(Doubling::class, ['n' => 8]);
        equal(1, $queue->pop()->attempts());
        equal(null, $queue->pop());
        sleep(5);
        $job = $queue->pop();
        equal([8, 2], [$job->payload()['data']['n'], $job->attempts()]);
        $job->delete();
        equal(0, $queue->size());
    });

    check("$client: workers that wait, each job done once", function () use ($client, $redis) {
        $queue = queue($redis);
        foreach (range(1, 200) as $n) {
            $queue->push(Doubling::class, ['n' => $n]);
        }
        processes($client, function (int $n, RedisManager $own) {
            $waits = queue($own, 60, 1);
            while ($job = $waits->pop()) {
                $own->connection()->rpush('done', $job->payload()['data']['n']);
                $job->delete();
            }
        });
        $done = array_map('intval', $redis->connection()->lrange('done', 0, -1));
        sort($done);
        equal([range(1, 200), 0], [$done, $queue->size()]);
    });
}

function caches(string $client): void
{
    $redis = redis($client);
    $cache = new Repository(new RedisStore($redis, 'cache'));

    check("$client: the cache adds what is not there", function () use ($cache) {
        equal([true, false], [$cache->add('a', ['x' => 1], 60), $cache->add('a', 2, 60)]);
        equal(['x' => 1], $cache->get('a'));
        equal([true, false], [$cache->add('short', 1, 3), $cache->add('short', 2, 3)]);
        usleep(3_200_000);
        equal([true, '3'], [$cache->add('short', 3, 60), (string) $cache->get('short')]);
        equal([4, 3], [$cache->increment('short'), $cache->decrement('short')]);
    });

    check("$client: one process of many adds it", function () use ($client, $redis) {
        processes($client, function (int $n, RedisManager $own) {
            $mine = new Repository(new RedisStore($own, 'cache'));
            foreach (range(1, 50) as $key) {
                $mine->add("one-$key", $n, 60) && $own->connection()->incr('added');
            }
        });
        equal('50', (string) $redis->connection()->get('added'));
    });

    check("$client: a lock is released by its owner alone", function () use ($cache) {
        $lock = $cache->lock('l', 60);
        equal([true, false], [$lock->get(), $cache->lock('l', 60)->get()]);
        equal(false, $cache->lock('l', 60)->release());
        throws(LockTimeoutException::class, fn () => $cache->lock('l', 60)->block(0));
        equal([true, true], [$cache->restoreLock('l', $lock->owner())->release(), $cache->lock('l', 60)->get()]);
        $cache->lock('l')->forceRelease();
        equal('inside', $cache->lock('l', 60)->get(fn () => 'inside'));
        equal(true, $cache->lock('l', 1)->get());
        equal(true, $cache->lock('l', 60)->block(5));
    });

    check("$client: one process at a time has a lock", function () use ($client, $redis) {
        processes($client, function (int $n, RedisManager $own) {
            $lock = (new RedisStore($own, 'cache'))->lock('alone', 60)->betweenBlockedAttemptsSleepFor(10);
            foreach (range(1, 5) as $_) {
                $lock->block(20, function () use ($own) {
                    $seen = (int) $own->connection()->get('counted');
                    usleep(2000);
                    $own->connection()->set('counted', $seen + 1);
                });
            }
        });
        equal((string) (5 * PROCESSES), $redis->connection()->get('counted'));
    });

    check("$client: a rate limiter over the cache", function () use ($cache) {
        $limiter = new RateLimiter($cache);
        $tries = array_map(fn () => $limiter->attempt('try', 3, fn () => true, 60), range(1, 5));
        equal([true, true, true, false, false], $tries);
        equal([0, true], [$limiter->remaining('try', 3), $limiter->availableIn('try') > 50]);
    });
}

function limits(string $client): void
{
    $redis = redis($client);
    $connection = $redis->connection();

    check("$client: so many in a while", function () use ($connection) {
        $try = fn () => $connection->throttle('throttle')->allow(3)->every(3)->block(0)
            ->then(fn () => 'done', fn () => 'refused');
        $first = array_map($try, range(1, 5));
        equal(['done', 'done', 'done', 'refused', 'refused'], $first);
        throws(LimiterTimeoutException::class, fn () => $connection->throttle('throttle')->allow(3)->every(3)->block(0)
            ->then(fn () => 'done'));
        // Waits until the while is over.
        equal('done', $connection->throttle('throttle')->allow(3)->every(3)->block(10)->then(fn () => 'done'));
    });

    check("$client: what a limit tells", function () use ($connection) {
        $limit = new Illuminate\Redis\Limiters\DurationLimiter($connection, 'told', 2, 60);
        equal(false, $limit->tooManyAttempts());
        equal([true, 1], [$limit->acquire(), (int) $limit->remaining]);
        equal([false, 1], [$limit->tooManyAttempts(), (int) $limit->remaining]);
        equal([true, 0], [$limit->acquire(), (int) $limit->remaining]);
        equal([false, 0, true], [$limit->acquire(), (int) $limit->remaining, $limit->tooManyAttempts()]);
        equal(true, $limit->decaysAt - time() > 50);
        $limit->clear();
        equal(true, $limit->acquire());
    });

    check("$client: so many at the same time", function () use ($client, $redis, $connection) {
        equal('within', $connection->funnel('funnel')->limit(1)->releaseAfter(60)->then(function () use ($connection) {
            $second = $connection->funnel('funnel')->limit(1)->block(0);
            equal('refused', $second->then(fn () => 'done', fn () => 'refused'));

            return 'within';
        }));
        processes($client, function (int $n, RedisManager $own) {
            $mine = $own->connection();
            $mine->funnel('two')->limit(2)->releaseAfter(60)->block(20)->then(function () use ($mine) {
                $mine->rpush('inside', $mine->incr('within'));
                // Who is first waits for the second: otherwise a busy machine would see fewer than are let in.
                $until = microtime(true) + 10;
                while ((int) $mine->llen('inside') < 2 && microtime(true) < $until) {
                    usleep(1000);
                }
                usleep(50_000);
                $mine->decr('within');
            });
        });
        $inside = array_map('intval', $connection->lrange('inside', 0, -1));
        equal([PROCESSES, 2], [count($inside), max($inside)]);
    });
}

$clients = isset($argv[2]) ? [$argv[2]] : array_keys(DATABASES);
// Most of the time is waiting: the second client has a process of its own.
$command = fn (string $client) => implode(' ', array_map('escapeshellarg', [PHP_BINARY, ...$argv, $client]));
$second = isset($clients[1]) ? popen($command($clients[1]), 'r') : null;
$client = $clients[0];
redis($client)->connection()->flushdb();
queues($client);
caches($client);
limits($client);
redis($client)->connection()->flushdb();
if ($second) {
    $text = stream_get_contents($second);
    pclose($second);
    $ended = preg_match('/^(\d+) passed, (\d+) failed\n\z/m', $text, $counts);
    echo $ended ? substr($text, 0, -strlen($counts[0])) : "{$clients[1]} ended without its counts: $text\n";
    $passed += $ended ? (int) $counts[1] : 0;
    $failed += $ended ? (int) $counts[2] : 1;
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
