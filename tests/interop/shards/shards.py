"""usage: shards.py SERVER_DLL STACK_EXCHANGE_DLL, with the redis-py of Debian's python3-redis, and Node

Starts three of our servers with one map; redis-py, ioredis and StackExchange.Redis find their way between them.
"""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import redis
import redis.cluster
import redis.exceptions

HERE = pathlib.Path(__file__).resolve().parent
SERVERS = 3
START_SECONDS = 60
KEYS = 300
CHECKS = []


def check(body):
    CHECKS.append(body)
    return body


@check
def each_server_tells_the_same_slots(ports, client):
    told = [redis.Redis(port=port).execute_command("CLUSTER SLOTS") for port in ports]
    assert told[0] == told[1] == told[2]
    assert len(told[0]) == SERVERS
    assert sum(last - first + 1 for first, last, *_ in told[0]) == 16384


@check
def redis_cli_finds_nothing_wrong(ports, client):
    said = subprocess.run(
        ["redis-cli", "--cluster", "check", f"127.0.0.1:{ports[0]}"], capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "All 16384 slots covered" in said.stdout, said.stdout


@check
def redis_cli_follows(ports, client):
    for i in range(10):
        said = subprocess.run(
            ["redis-cli", "-c", "-p", str(ports[0]), "set", f"cli:{i}", str(i)], capture_output=True, text=True,
            timeout=60)
        assert said.stdout == "OK\n", said.stdout
    assert [client.get(f"cli:{i}") for i in range(10)] == [str(i).encode() for i in range(10)]


@check
def py_keys_are_on_all_servers(ports, client):
    for i in range(KEYS):
        client.set(f"py:{i}", i)
    assert [int(client.get(f"py:{i}")) for i in range(KEYS)] == list(range(KEYS))
    counts = [redis.Redis(port=port).dbsize() for port in ports]
    assert min(counts) > KEYS // 10, counts
    assert sum(len(redis.Redis(port=port).keys("py:*")) for port in ports) == KEYS


@check
def py_tags_keep_keys_together(ports, client):
    client.mset({"{py:t}a": 1, "{py:t}b": 2})
    assert client.mget("{py:t}a", "{py:t}b") == [b"1", b"2"]
    assert client.rename("{py:t}a", "{py:t}c")
    assert client.execute_command("CLUSTER KEYSLOT", "{py:t}c") == client.keyslot("py:t")
    for port in ports:
        try:
            redis.Redis(port=port).mget("py:1", "py:2")
            raise AssertionError("keys of two slots were taken")
        except redis.exceptions.ResponseError as error:
            assert "hash to the same slot" in str(error), error


@check
def py_pipelines_go_to_each_server(ports, client):
    pipeline = client.pipeline()
    for i in range(KEYS):
        pipeline.incr(f"py:{i}")
    assert pipeline.execute() == [i + 1 for i in range(KEYS)]
    assert client.mget_nonatomic("py:1", "py:2") == [b"2", b"3"]
    assert client.delete(*[f"py:{i}" for i in range(2)]) == 2


@check
def py_transactions_have_one_slot(ports, client):
    slot = client.keyslot("{py:x}")
    for port in ports:
        plain = redis.Redis(port=port)
        transaction = plain.pipeline(transaction=True)
        transaction.set("{py:x}a", 1)
        transaction.incr("{py:x}a")
        try:
            assert transaction.execute() == [True, 2]
            assert client.get_node_from_key("{py:x}a").port == port
        except redis.exceptions.ResponseError as error:
            assert f"MOVED {slot} " in str(error) or isinstance(error, redis.exceptions.ExecAbortError), error


@check
def py_collections_and_sharded_names(ports, client):
    client.rpush("{py:l}a", 1, 2, 3)
    assert client.lmove("{py:l}a", "{py:l}b") == b"1"
    assert client.sort("{py:l}a") == [b"2", b"3"]
    client.xadd("py:s", {"a": 1})
    assert client.xlen("py:s") == 1
    assert client.cluster_countkeysinslot(client.keyslot("{py:l}a")) == 2
    assert sorted(client.cluster_get_keys_in_slot(client.keyslot("{py:l}a"), 10)) == ["{py:l}a", "{py:l}b"] \
        or sorted(client.cluster_get_keys_in_slot(client.keyslot("{py:l}a"), 10)) == [b"{py:l}a", b"{py:l}b"]


@check
def py_sees_the_cluster(ports, client):
    assert client.cluster_info(target_nodes=client.get_random_node())["cluster_state"] == "ok"
    assert len(client.cluster_nodes()) == SERVERS
    assert redis.Redis(port=ports[0]).info("cluster")["cluster_enabled"] == 1


def free_ports():
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(SERVERS)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def start(server, ports, folder):
    started = []
    nodes = " ".join(f"127.0.0.1:{port}" for port in ports)
    for port in ports:
        log = open(pathlib.Path(folder) / f"{port}.log", "w")
        started.append(subprocess.Popen(
            ["dotnet", server, "--port", str(port), "--bind", "127.0.0.1", "--maxmemory", "64mb", "--cluster-enabled",
             "yes", "--cluster-nodes", nodes], stdout=log, stderr=log, stdin=subprocess.DEVNULL))
    return started


def wait_for(port, process):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            return redis.Redis(port=port).ping()
        except redis.exceptions.ConnectionError:
            time.sleep(0.05)
    raise TimeoutError(f"the server on {port} does not answer")


def run_others(name, words):
    """Another client's checks: their output, and its counts."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    lines = done.stdout.splitlines()
    counts = lines[-1].split() if lines else []
    for line in lines[:-1] + done.stderr.splitlines():
        print(f"{name}: {line}")
    return (int(counts[0]), int(counts[2])) if counts[1:2] == ["passed,"] else (0, 1)


def main():
    server = sys.argv[1]
    ports = free_ports()
    folder = tempfile.mkdtemp()
    started = start(server, ports, folder)
    passed = failed = 0
    try:
        for port, process in zip(ports, started):
            wait_for(port, process)
        client = redis.cluster.RedisCluster(host="127.0.0.1", port=ports[0])
        for body in CHECKS:
            try:
                body(ports, client)
                passed += 1
            except Exception as error:  # Every kind of failure is this check's, and the others still run.
                failed += 1
                print(f"FAILED {body.__name__}: {error!r}")
        named = [str(port) for port in ports]
        for name, words in (("ioredis", ["node", str(HERE / "../node/ioredis-cluster.mjs")]),
                            ("StackExchange.Redis", ["dotnet", sys.argv[2], "cluster"])):
            more, less = run_others(name, [*words, *named])
            passed, failed = passed + more, failed + less
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
