"""Copies between redis-server and our server by `cache import` and `cache export`, compared key by key.

usage: migration.py TOOL SERVER    the assemblies of the command and of the stand-alone server; starts servers of its own
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import redis

TOOL, SERVER = sys.argv[1:3]
SEED = int(os.environ.get("INTEROP_SEED", "20261128"))
WAIT_SECONDS = 30
work = tempfile.TemporaryDirectory()
processes = []
passed = failed = 0


def check(name, found, wanted):
    global passed, failed
    if found == wanted:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}\n  expected: {wanted}\n  actual:   {found}")


def free_port():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def wait_for(what, port=None):
    for _ in range(WAIT_SECONDS * 20):
        try:
            if what():
                return True
        except redis.exceptions.RedisError:
            pass
        time.sleep(0.05)
    return False


def start(words, port, password=None, **tls):
    log = open(os.path.join(work.name, f"{port}.log"), "wb")
    process = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    processes.append(process)
    if not wait_for(lambda: redis.Redis(port=port, password=password, **tls).ping()):
        raise SystemExit(f"no server on {port}")
    return process


def start_redis(port=None, *more, password=None, file="none.rdb"):
    port = port or free_port()
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", work.name,
             "--dbfilename", file, "--repl-diskless-sync-delay", "0", "--enable-protected-configs", "yes", *more]
    return start(words, port, password), port


def start_ours():
    port = free_port()
    return start(["dotnet", SERVER, "--port", str(port), "--bind", "127.0.0.1", "--maxmemory", "512mb"], port), port


def tool(*words, env=None, seconds=60):
    return subprocess.run(["dotnet", TOOL, *words], capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)


def fill(port, rng, count, password=None):
    for database in (0, 3):
        pipe = redis.Redis(port=port, db=database, password=password).pipeline(transaction=False)
        for i in range(count):
            pipe.set(b"\x00\xff s%d" % i, rng.randbytes(rng.choice([0, 1, 100, 5000])))
            pipe.set(f"number{i}", rng.randrange(-10**6, 10**12))
            pipe.set(f"repeated{i}", "abc" * rng.randrange(1, 3000))
            pipe.set(f"expiring{i}", "x", px=rng.randrange(3_600_000, 10**9))
            pipe.rpush(f"list{i}", *[rng.randbytes(rng.randrange(1, 50)) for _ in range(rng.choice([1, 10, 500]))])
            pipe.sadd(f"ints{i}", *[rng.randrange(10**5) for _ in range(rng.choice([1, 10, 600]))])
            pipe.sadd(f"set{i}", *[rng.randbytes(8) for _ in range(rng.choice([1, 10, 200]))])
            pipe.hset(f"hash{i}", mapping={rng.randbytes(5): rng.randbytes(rng.choice([3, 100]))
                                           for _ in range(rng.choice([1, 10, 200]))})
            pipe.expire(f"hash{i}", 100_000 + i)
            pipe.zadd(f"zset{i}", {rng.randbytes(5): rng.choice([rng.random(), float("inf"), rng.randrange(100), -1.5])
                                   for _ in range(rng.choice([1, 10, 200]))})
            for j in range(rng.choice([1, 30, 150])):
                pipe.xadd(f"stream{i}", {"f": rng.randbytes(5), "g": str(j)})
            pipe.xgroup_create(f"stream{i}", "group", "0")
            pipe.xreadgroup("group", "consumer", {f"stream{i}": ">"}, count=3)
            pipe.pfadd(f"log{i}", *range(rng.randrange(1, 50)))
        pipe.set("long", rng.randbytes(8 << 20) if database == 0 else "x")
        for i in range(2 if database == 0 else 0):  # More than the 16 MB from which on it goes in parts.
            pipe.rpush("longlist", *[rng.randbytes(90_000) for _ in range(100)])
            pipe.hset("longhash", mapping={rng.randbytes(6): rng.randbytes(90_000) for _ in range(100)})
        pipe.pexpire("longhash", 10**8)
        pipe.execute()


def value(client, key):
    kind = client.type(key)
    if kind == b"string":
        return kind, client.get(key)
    if kind == b"list":
        return kind, client.lrange(key, 0, -1)
    if kind == b"set":
        return kind, client.smembers(key)
    if kind == b"hash":
        return kind, client.hgetall(key)
    if kind == b"zset":
        return kind, client.zrange(key, 0, -1, withscores=True)
    groups = client.xinfo_groups(key)
    pending = [client.xpending_range(key, one["name"], "-", "+", 1000) for one in groups]
    return (kind, client.xrange(key), [(one["name"], one["last-delivered-id"], one["pending"]) for one in groups],
            [[(p["message_id"], p["consumer"], p["times_delivered"]) for p in one] for one in pending])


def difference(a, b, databases=None, password=None):
    """How many keys were compared, and the first that differs."""
    count = 0
    databases = databases or sorted({int(name[2:]) for client in (redis.Redis(port=a, password=password),
                                                                 redis.Redis(port=b))
                                     for name in client.info("keyspace")})
    for database in databases:
        one = redis.Redis(port=a, db=database, password=password)
        other = redis.Redis(port=b, db=database)
        keys = set(one.scan_iter(count=1000))
        if keys != set(other.scan_iter(count=1000)):
            return count, sorted(keys ^ set(other.scan_iter(count=1000)))[:3]
        for key in keys:
            count += 1
            if value(one, key) != value(other, key):
                return count, (database, key)
            if one.execute_command("PEXPIRETIME", key) != other.execute_command("PEXPIRETIME", key):
                return count, (database, key, "expiry")
    return count, None


class Writer(threading.Thread):
    """Changes keys of all kinds until it is stopped."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.client = redis.Redis(port=port)
        self.rng = random.Random(seed)
        self.stopped = threading.Event()
        self.count = 0

    def run(self):
        rng = self.rng
        while not self.stopped.is_set():
            try:
                pipe = self.client.pipeline(transaction=rng.random() < 0.3)
                for _ in range(20):
                    i = rng.randrange(60)
                    rng.choice([
                        lambda: pipe.incr(f"w:count{i}"), lambda: pipe.rpush(f"w:list{i}", rng.randbytes(20)),
                        lambda: pipe.lpop(f"w:list{i}"), lambda: pipe.sadd(f"w:set{i}", rng.randrange(100)),
                        lambda: pipe.spop(f"w:set{i}"), lambda: pipe.hset(f"w:hash{i}", rng.randrange(50), i),
                        lambda: pipe.delete(f"list{i}"), lambda: pipe.set(f"w:short{i}", 1, px=rng.randrange(1, 500)),
                        lambda: pipe.zadd(f"w:zset{i}", {str(rng.randrange(50)): rng.random()}),
                        lambda: pipe.xadd(f"w:stream{i}", {"a": i}, maxlen=50), lambda: pipe.expire(f"set{i}", 5000 + i),
                        lambda: pipe.eval("return redis.call('append', KEYS[1], ARGV[1])", 1, f"w:text{i}", "x"),
                    ])()
                pipe.execute()
                self.count += 20
            except redis.exceptions.RedisError:
                time.sleep(0.02)
            time.sleep(0.001)

    def stop(self):
        self.stopped.set()
        self.join()


def test_file(source, ours, target):
    redis.Redis(port=source).config_set("dbfilename", "source.rdb")
    redis.Redis(port=source).save()
    dump = os.path.join(work.name, "source.rdb")
    run = tool("import", dump, "--to", f"127.0.0.1:{ours}")
    check("import of a file", (run.returncode, run.stderr), (0, ""))
    check("it is the same", difference(source, ours)[1], None)
    redis.Redis(port=ours).set("number1", "other")
    run = tool("import", dump, "--to", f"127.0.0.1:{ours}")
    check("a second run keeps what is there", (run.returncode, redis.Redis(port=ours).get("number1")), (0, b"other"))
    run = tool("import", dump, "--to", f"127.0.0.1:{ours}", "--replace")
    check("or replaces it", (run.returncode, difference(source, ours)[1]), (0, None))
    exported = os.path.join(work.name, "exported.rdb")
    run = tool("export", exported, "--from", f"127.0.0.1:{ours}")
    check("export of ours", (run.returncode, run.stderr), (0, ""))
    loaded, port = start_redis(file="exported.rdb")
    check("redis-server loads it", difference(source, port)[1], None)
    loaded.kill()
    cut = os.path.join(work.name, "cut.rdb")
    with open(dump, "rb") as whole, open(cut, "wb") as part:
        part.write(whole.read()[:-1000])
    redis.Redis(port=target).flushall()
    run = tool("import", cut, "--to", f"127.0.0.1:{target}")
    check("a truncated dump is refused", (run.returncode, redis.Redis(port=target).dbsize()), (1, 0))


def test_scan(source, target):
    client = redis.Redis(port=source)
    client.execute_command("ACL", "SETUSER", "reader", "on", ">secret", "~*", "+@read", "+select", "+info", "+ping")
    run = tool("import", "--from", f"redis://reader@127.0.0.1:{source}", "--to", f"127.0.0.1:{target}", "--flush",
               env={"CACHE_SOURCE_AUTH": "secret"})
    check("import by SCAN", (run.returncode, "refuses PSYNC" in run.stdout), (0, True))
    check("it is the same", difference(source, target)[1], None)
    run = tool("import", "--from", f"redis://reader:wrong@127.0.0.1:{source}", "--to", f"127.0.0.1:{target}", "--flush")
    check("a wrong password", (run.returncode, "WRONGPASS" in run.stderr), (2, True))


def is_caught_up(source, target, writer):
    writer.stop()
    mark = f"mark{writer.count}"
    redis.Redis(port=source).set(mark, 1)
    return wait_for(lambda: redis.Redis(port=target).exists(mark))


def test_follow(source, target, name, *more):
    writer = Writer(source, SEED)
    writer.start()
    words = ["dotnet", TOOL, "import", "--from", f"redis://127.0.0.1:{source}", "--to", f"127.0.0.1:{target}",
             "--follow", *more]
    path = os.path.join(work.name, "follow.log")
    log = open(path, "w+")
    follower = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
    processes.append(follower)
    try:
        check(f"{name}: it copies", wait_for(lambda: "Its changes follow" in open(path).read()), True)
        time.sleep(1)
        redis.Redis(port=source).execute_command("CLIENT", "KILL", "TYPE", "replica")
        time.sleep(1)
        check(f"{name}: all comes", is_caught_up(source, target, writer), True)
    finally:
        follower.send_signal(signal.SIGINT)
        follower.wait(timeout=WAIT_SECONDS)
        output = open(path).read()
    check(f"{name}: Ctrl-C ends it well", follower.returncode, 0)
    check(f"{name}: the link was cut, and went on", "nothing is missing" in output or output, True)
    time.sleep(0.6)  # Until the short ones have expired on both sides.
    check(f"{name}: it is the same", difference(source, target)[1], None)


def test_once(source, target):
    writer = Writer(source, SEED + 1)
    writer.start()
    run = tool("import", "--from", f"redis://127.0.0.1:{source}", "--to", f"127.0.0.1:{target}")
    check("without --follow, a target with keys", (run.returncode, "has keys" in run.stderr), (2, True))
    run = tool("import", "--from", f"redis://127.0.0.1:{source}/3", "--to", f"127.0.0.1:{target}", "--flush")
    writer.stop()
    check("without --follow it ends", (run.returncode, "Its changes follow" in run.stdout), (0, True))
    check("one database alone", difference(source, target, [3])[1], None)


# Ports that have nothing but TLS; users of an ACL on both sides.
def test_tls():
    certificate, key = (os.path.join(work.name, name) for name in ("cert.pem", "key.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out",
                    certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True)
    client = {"ssl": True, "ssl_ca_certs": certificate}
    options = ["--port", "0", "--bind", "127.0.0.1", "--tls-cert-file", certificate, "--tls-key-file", key,
               "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"]
    source, ours, target = (free_port() for _ in range(3))
    start(["redis-server", "--tls-port", str(source), "--save", "", "--dir", work.name, "--repl-diskless-sync-delay",
           "0", *options], source, **client)
    start(["redis-server", "--tls-port", str(target), "--save", "", "--dir", work.name, "--timeout", "1", *options],
          target, **client)
    start(["dotnet", SERVER, "--tls-port", str(ours), "--maxmemory", "64mb", *options], ours, **client)
    source_client, ours_client, target_client = (redis.Redis(port=port, **client) for port in (source, ours, target))
    for one, user, rights in ((source_client, "replica", ["+psync", "+replconf", "+info"]),
                              (ours_client, "app", ["~*", "+@all"]), (target_client, "app", ["~*", "+@all"])):
        one.execute_command("ACL", "SETUSER", user, "on", ">sec:ret@", *rights)
    source_client.set("a", "1")
    source_client.hset("h", mapping={"f": "v"})
    by_tls = lambda user, port: f"rediss://{user}:sec%3Aret%40@127.0.0.1:{port}"
    run = tool("import", "--from", by_tls("replica", source), "--to", by_tls("app", ours), "--cacert", certificate)
    check("by TLS, from Redis to ours", (run.returncode, run.stderr, ours_client.get("a")), (0, "", b"1"))
    run = tool("import", "--from", by_tls("replica", source), "--to", by_tls("app", target))
    check("an authority that is not known", (run.returncode, "certificate" in run.stderr), (2, True))
    run = tool("import", "--from", by_tls("app", ours), "--to", f"127.0.0.1:{target}", "--tls", "--cacert", certificate,
               "--user", "app", env={"REDISCLI_AUTH": "sec:ret@", "CACHE_SOURCE_AUTH": "other"})
    check("by TLS, from ours to Redis", (run.returncode, run.stderr, target_client.hgetall("h")), (0, "", {b"f": b"v"}))
    follower = subprocess.Popen(
        ["dotnet", TOOL, "import", "--from", by_tls("replica", source), "--to", by_tls("app", target), "--cacert",
         certificate, "--follow", "--flush"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    processes.append(follower)
    source_client.set("before", "1")
    check("by TLS, followed", wait_for(lambda: target_client.exists("before")), True)
    time.sleep(3)  # Longer than the target's timeout.
    source_client.set("after", "1")
    check("by TLS, after a pause", wait_for(lambda: target_client.exists("after")), True)
    follower.send_signal(signal.SIGINT)
    check("by TLS, ended", (follower.communicate(timeout=WAIT_SECONDS)[1], follower.returncode), ("", 0))


def test_small_target(source):
    _, port = start_redis(None, "--maxmemory", "3mb")
    run = tool("import", os.path.join(work.name, "source.rdb"), "--to", f"127.0.0.1:{port}")
    check("a target without memory", (run.returncode, "no memory left: refused:" in run.stderr), (2, True))


def main():
    _, source = start_redis()
    _, target = start_redis()
    _, ours = start_ours()
    fill(source, random.Random(SEED), 12)
    test_file(source, ours, target)
    test_small_target(source)
    test_scan(source, target)
    test_follow(source, target, "to Redis", "--flush")
    test_once(source, target)
    redis.Redis(port=source).config_set("repl-diskless-sync", "no")
    test_follow(source, ours, "to ours", "--flush")
    test_tls()


try:
    main()
finally:
    for one in processes:
        one.kill()
    for one in processes:
        one.wait()
    work.cleanup()
print(f"seed {SEED}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
