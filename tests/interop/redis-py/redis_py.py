"""usage: redis_py.py PORT, with the redis-py of Debian's python3-redis"""

import sys
import threading
import time

import redis

CHECKS = []


def check(body):
    CHECKS.append(body)
    return body


@check
def ping(client):
    assert client.ping() is True


@check
def set_and_get(client):
    assert client.set("py:k", "v") is True
    assert client.get("py:k") == b"v"
    assert client.get("py:absent") is None


@check
def binary(client):
    value = bytes(range(256))
    client.set(value, value)
    assert client.get(value) == value


@check
def large_value(client):
    value = b"x" * (5 << 20)
    client.set("py:large", value)
    assert client.get("py:large") == value


@check
def options_of_set(client):
    assert client.set("py:o", "v", ex=100, nx=True) is True
    assert client.set("py:o", "w", nx=True) is None
    assert client.set("py:o", "w", keepttl=True, get=True) == b"v"
    assert 95 < client.ttl("py:o") <= 100
    assert client.set("py:absent", "v", xx=True) is None


@check
def many_keys(client):
    client.mset({"py:a": 1, "py:b": 2})
    assert client.mget("py:a", "py:b", "py:c") == [b"1", b"2", None]
    assert client.msetnx({"py:a": 1, "py:z": 2}) is False
    assert client.delete("py:a", "py:b", "py:c") == 2


@check
def parts(client):
    client.set("py:r", "Hello World")
    assert client.getrange("py:r", -5, -1) == b"World"
    assert client.setrange("py:r", 6, "Redis") == 11
    assert client.append("py:r", "!") == 12
    assert client.strlen("py:r") == 12


@check
def numbers(client):
    assert client.incr("py:n", 5) == 5
    assert client.decr("py:n") == 4
    assert client.incrbyfloat("py:f", 0.5) == 0.5


@check
def expiry(client):
    client.psetex("py:gone", 30, "v")
    time.sleep(0.1)
    assert client.get("py:gone") is None
    client.set("py:e", "v")
    assert client.expire("py:e", 100) and client.persist("py:e")
    assert client.ttl("py:e") == -1


@check
def pipeline_without_transaction(client):
    pipeline = client.pipeline(transaction=False)
    for i in range(1000):
        pipeline.set(f"py:p{i}", i).incr(f"py:p{i}")
    assert pipeline.execute()[-1] == 1000


@check
def scan(client):
    assert len(set(client.scan_iter("py:p*", count=100))) == 1000


@check
def errors(client):
    client.set("py:text", "abc")
    try:
        client.incr("py:text")
        assert False
    except redis.ResponseError as error:
        assert str(error) == "value is not an integer or out of range"
    try:
        client.execute_command("nosuchcommand")
        assert False
    except redis.ResponseError as error:
        assert str(error).startswith("unknown command 'nosuchcommand'")


@check
def longest_common_subsequence(client):
    client.mset({"py:l1": "ohmytext", "py:l2": "mynewtext"})
    assert client.execute_command("LCS", "py:l1", "py:l2") == b"mytext"


@check
def introspection(client):
    assert client.info()["redis_version"] == "7.0.15"
    assert client.client_setname("interop") and client.client_getname() == "interop"
    assert client.client_info()["name"] == "interop"
    assert any(row["name"] == "interop" for row in client.client_list())
    assert client.config_get("maxclients")["maxclients"].isdigit()
    assert client.command_count() > 50
    assert abs(client.time()[0] - time.time()) < 60


@check
def databases(client):
    other = redis.Redis(port=client.connection_pool.connection_kwargs["port"], db=5)
    other.set("py:db", "5")
    assert client.get("py:db") is None
    assert other.dbsize() == 1 and other.flushdb()


@check
def user_with_rights(client):
    port = client.connection_pool.connection_kwargs["port"]
    client.acl_setuser(
        "py-user", enabled=True, reset=True, passwords=["+secret"], keys=["py:acl:*"],
        commands=["+get", "+acl|whoami"])
    assert client.acl_getuser("py-user")["enabled"]
    user = redis.Redis(port=port, username="py-user", password="secret")
    assert user.acl_whoami() == "py-user"
    assert user.get("py:acl:k") is None
    for denied in (lambda: user.get("py:k"), lambda: user.set("py:acl:k", "v")):
        try:
            denied()
            raise AssertionError("it was allowed")
        except redis.exceptions.NoPermissionError:
            pass
    try:
        redis.Redis(port=port, username="py-user", password="wrong").ping()
        raise AssertionError("the password was taken")
    except redis.ResponseError as error:
        assert "WRONGPASS" in str(error)
    assert client.acl_deluser("py-user") == 1


@check
def transaction(client):
    client.delete("py:t1", "py:t2")
    with client.pipeline(transaction=True) as pipeline:
        assert pipeline.set("py:t1", 1).incr("py:t1").lpush("py:t2", "a").get("py:t1").execute() == [True, 2, 1, b"2"]
        pipeline.set("py:t1", "x").incr("py:t1").set("py:t2", "y")
        replies = pipeline.execute(raise_on_error=False)
        assert replies[0] is True and isinstance(replies[1], redis.ResponseError) and replies[2] is True


@check
def transaction_with_watch(client):
    client.set("py:w", 1)

    def double(pipeline):
        value = int(pipeline.get("py:w"))
        if value == 1:
            client.set("py:w", 5)  # By another connection: the first attempt is void.
        pipeline.multi()
        pipeline.set("py:w", 2 * value)

    watching = redis.Redis(connection_pool=redis.ConnectionPool(**client.connection_pool.connection_kwargs))
    assert watching.transaction(double, "py:w") == [True]
    assert client.get("py:w") == b"10"


def next_message(pubsub):
    """The next message; waits for 30 seconds at most."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        message = pubsub.get_message(timeout=1)
        if message is not None:
            return message["type"], message["channel"], message["data"]
    raise AssertionError("no message came")


@check
def publish_and_subscribe(client):
    port = client.connection_pool.connection_kwargs["port"]
    pubsub = redis.Redis(port=port).pubsub()
    pubsub.subscribe("py:news", "py:more")
    assert next_message(pubsub) == ("subscribe", b"py:news", 1)
    assert next_message(pubsub) == ("subscribe", b"py:more", 2)
    pubsub.psubscribe("py:n*")
    assert next_message(pubsub) == ("psubscribe", b"py:n*", 3)
    assert client.publish("py:news", b"\x00\r\n") == 2
    assert next_message(pubsub) == ("message", b"py:news", b"\x00\r\n")
    assert next_message(pubsub) == ("pmessage", b"py:news", b"\x00\r\n")
    assert client.pubsub_numsub("py:news", "py:none") == [(b"py:news", 1), (b"py:none", 0)]
    assert client.pubsub_numpat() == 1
    assert sorted(client.pubsub_channels("py:*")) == [b"py:more", b"py:news"]
    pubsub.ping()
    assert next_message(pubsub)[0] == "pong"
    pubsub.unsubscribe("py:news")
    assert next_message(pubsub) == ("unsubscribe", b"py:news", 2)
    assert client.publish("py:news", "x") == 1
    assert next_message(pubsub) == ("pmessage", b"py:news", b"x")
    pubsub.close()


@check
def events_of_keys(client):
    port = client.connection_pool.connection_kwargs["port"]
    client.config_set("notify-keyspace-events", "Ex$g")
    pubsub = redis.Redis(port=port).pubsub()
    pubsub.psubscribe("__keyevent@0__:*")
    next_message(pubsub)
    client.set("py:event", "v", px=1)
    assert next_message(pubsub) == ("pmessage", b"__keyevent@0__:set", b"py:event")
    assert next_message(pubsub) == ("pmessage", b"__keyevent@0__:expire", b"py:event")
    assert next_message(pubsub) == ("pmessage", b"__keyevent@0__:expired", b"py:event")
    client.config_set("notify-keyspace-events", "")
    pubsub.close()


@check
def queue_of_several_workers(client):
    """As RQ and Celery wait for jobs: each job goes to one worker, and both queues are served."""
    port = client.connection_pool.connection_kwargs["port"]
    jobs = {f"job{i}".encode() for i in range(200)}
    done, lock = [], threading.Lock()

    def work():
        own = redis.Redis(port=port)
        while (job := own.blpop(["py:high", "py:low"], timeout=30)) and job[1] != b"end":
            with lock:
                done.append(job[1])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for i, job in enumerate(sorted(jobs)):
        client.rpush("py:high" if i % 3 == 0 else "py:low", job)
    client.rpush("py:low", *["end"] * len(workers))
    for worker in workers:
        worker.join(60)
    assert len(done) == len(jobs) and set(done) == jobs
    assert client.exists("py:high", "py:low") == 0


@check
def queue_that_keeps_what_is_worked_on(client):
    port = client.connection_pool.connection_kwargs["port"]
    moved = []
    worker = threading.Thread(
        target=lambda: moved.append(redis.Redis(port=port).blmove("py:todo", "py:doing", 30, "LEFT", "RIGHT")))
    worker.start()
    client.rpush("py:todo", "job")
    worker.join(60)
    assert moved == [b"job"]
    assert client.lrange("py:doing", 0, -1) == [b"job"]
    client.delete("py:doing")


@check
def waits_that_end_without_an_element(client):
    assert client.blpop("py:none", timeout=0.05) is None
    assert client.bzpopmin("py:none", timeout=0.05) is None
    client.zadd("py:z", {"a": 2, "b": 1})
    assert client.bzpopmin("py:z", timeout=1) == (b"py:z", b"b", 1.0)
    assert client.delete("py:z") == 1


@check
def lock_of_several_clients(client):
    """redis-py's Lock: SET NX PX, and scripts that look whose it is before they extend or release it."""
    port = client.connection_pool.connection_kwargs["port"]
    inside, most, rounds = 0, 0, []

    def work():
        nonlocal inside, most
        own = redis.Redis(port=port)
        for _ in range(20):
            with own.lock("py:lock", timeout=30, sleep=0.001):
                inside += 1
                most = max(most, inside)
                rounds.append(1)
                inside -= 1

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert most == 1 and len(rounds) == 80
    lock = client.lock("py:lock", timeout=5)
    assert lock.acquire(blocking=False) and lock.owned()
    assert not client.lock("py:lock").acquire(blocking=False)
    assert lock.extend(20) and client.pttl("py:lock") > 20_000
    assert lock.reacquire() and client.pttl("py:lock") <= 5_000
    lock.release()
    assert client.exists("py:lock") == 0
    lock = client.lock("py:lock", timeout=5)
    lock.acquire()
    client.set("py:lock", "another")
    try:
        lock.release()
        raise AssertionError("A lock of another client was released.")
    except redis.exceptions.LockNotOwnedError:
        client.delete("py:lock")


@check
def script_that_was_forgotten(client):
    """A registered script is sent again where the server does not know it."""
    window = client.register_script(
        "local used = redis.call('INCR', KEYS[1]) "
        "if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end "
        "return {used <= tonumber(ARGV[1]) and 1 or 0, used}")
    client.delete("py:window")
    assert [window(keys=["py:window"], args=[2, 60_000]) for _ in range(3)] == [[1, 1], [1, 2], [0, 3]]
    client.script_flush()
    assert window(keys=["py:window"], args=[2, 60_000]) == [0, 4]
    assert client.pttl("py:window") > 0
    with client.pipeline(transaction=True) as transaction:
        window(keys=["py:window"], args=[9, 1], client=transaction)
        transaction.get("py:window")
        assert transaction.execute() == [[1, 5], b"5"]
    try:
        client.eval("return redis.call('incr', KEYS[1])", 1, "py:window:none:" + "x" * 9)
        client.eval("return redis.call('lpush', KEYS[1], 1)", 1, "py:window")
        raise AssertionError("The wrong type is an error.")
    except redis.exceptions.ResponseError as error:
        assert "WRONGTYPE" in str(error), error


LIBRARY = """#!lua name=py_library
local served = 0
redis.register_function('py_add', function(keys, args)
  served = served + 1
  return {redis.call('HINCRBY', keys[1], args[1], args[2]), served}
end)
redis.register_function{
  function_name = 'py_read', description = 'What was added', flags = {'no-writes', 'allow-stale'},
  callback = function(keys) return redis.call('HGETALL', keys[1]) end,
}
"""


def named(reply):
    """The pairs of a reply of RESP2."""
    return dict(zip(reply[::2], reply[1::2]))


def refusal_of(call):
    try:
        call()
    except redis.exceptions.ResponseError as error:
        return str(error)
    raise AssertionError("It was not refused.")


@check
def functions(client):
    client.delete("py:f")
    client.function_load(LIBRARY, replace=True)
    assert refusal_of(lambda: client.function_load(LIBRARY)) == "Library 'py_library' already exists"
    assert client.fcall("py_add", 1, "py:f", "a", 5) == [5, 1]
    assert client.fcall("py_add", 1, "py:f", "a", 2) == [7, 2]
    assert client.fcall_ro("py_read", 1, "py:f") == [b"a", b"7"]
    assert refusal_of(lambda: client.fcall_ro("py_add", 1, "py:f", "a", 5)) == (
        "Can not execute a script with write flag using *_ro command.")
    assert refusal_of(lambda: client.fcall("py_none", 0)) == "Function not found"
    with client.pipeline(transaction=True) as transaction:
        transaction.fcall("py_add", 1, "py:f", "a", 1)
        transaction.hget("py:f", "a")
        assert transaction.execute() == [[8, 3], b"8"]


@check
def functions_listed_dumped_and_restored(client):
    client.function_load(LIBRARY, replace=True)
    library = named(*client.function_list("py_*", withcode=True))
    assert (library[b"library_name"], library[b"engine"]) == (b"py_library", b"LUA")
    assert library[b"library_code"] == LIBRARY.encode()
    functions = sorted((named(function) for function in library[b"functions"]), key=lambda function: function[b"name"])
    assert functions[0] == {b"name": b"py_add", b"description": None, b"flags": []}
    assert (functions[1][b"name"], functions[1][b"description"]) == (b"py_read", b"What was added")
    assert sorted(functions[1][b"flags"]) == [b"allow-stale", b"no-writes"]
    payload = client.function_dump()
    client.function_delete("py_library")
    client.function_restore(payload, "REPLACE")
    assert "py_library" in refusal_of(lambda: client.function_restore(payload))
    client.delete("py:f")
    assert client.fcall("py_add", 1, "py:f", "b", 1) == [1, 1]
    stats = client.function_stats()
    assert stats[1] is None and stats[3][0] == b"LUA" and stats[3][1][3] >= 2, stats
    client.function_delete("py_library")
    assert client.function_list("py_*") == []
    assert refusal_of(lambda: client.function_delete("py_library")) == "Library not found"


def main():
    client = redis.Redis(port=int(sys.argv[1]), single_connection_client=True)
    failed = 0
    for body in CHECKS:
        try:
            body(client)
        except Exception as error:  # Every kind of failure is this check's, and the others still run.
            failed += 1
            print(f"FAILED {body.__name__}: {error!r}")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
