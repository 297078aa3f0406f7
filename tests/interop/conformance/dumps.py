#!/usr/bin/env python3
"""Takes random values of all types from Redis to our server and back by DUMP and RESTORE: each must be what it was.

usage: dumps.py --redis PORT --ours PORT [--count N] [--seed N] [--seconds N]

Values are short and long, so that Redis has them in each of its encodings. The seed is printed; value number I of seed
S is the same at any time: --seed S+I --count 1 takes it alone.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "eng/commands"))

import resp  # noqa: E402, of eng/commands

FAILED_MAX = 5
COUNTS = (1, 2, 5, 20, 127, 129, 600)

# How each type is read as a whole, and whether its order is any.
READS = {
    "string": ([b"GET"], False),
    "hash": ([b"HGETALL"], True),
    "list": ([b"LRANGE", b"0", b"-1"], False),
    "set": ([b"SMEMBERS"], True),
    "zset": ([b"ZRANGE", b"0", b"-1", b"WITHSCORES"], False),
    "stream": ([b"XRANGE", b"-", b"+"], False),
}


def call(connection, *words):
    connection.send(resp.encode(list(words)))
    return connection.read_reply().raw


def bulk(reply):
    assert reply[:1] == b"$" and reply[:2] != b"$-", reply
    return reply[reply.index(b"\n") + 1:-2]


def text(chance):
    kind = chance.randrange(6)
    if chance.randrange(40) == 0:  # Ours are in blocks, and begin alike.
        return b"m" * chance.choice((1023, 1024, 1025, 1300)) + b"%d" % chance.randrange(1000)
    if kind == 0:
        return b"%d" % chance.choice(
            (0, 12, -1, 127, 128, -129, 32768, 2**31, -2**31, 2**63 - 1, chance.randrange(10**6)))
    if kind == 1:
        length = chance.choice((5, 30, 63, 64, 100, 5000 if chance.randrange(9) == 0 else 70))
        return bytes(chance.choice(b"ab") for _ in range(length))
    return bytes(chance.randrange(256) for _ in range(chance.randrange(24)))


def requests(kind, chance):
    """The commands that make a value."""
    count = chance.choice(COUNTS)
    if kind == "string":
        return [[b"SET", b"k", text(chance) * chance.choice((1, 1, 40))]]
    if kind == "list":
        return [[b"RPUSH", b"k", text(chance)] for _ in range(count)]
    if kind == "set":
        is_whole = chance.randrange(2) == 0
        least = -9**chance.randrange(1, 16)
        return [[b"SADD", b"k", b"%d" % chance.randrange(least, 10**9) if is_whole else text(chance)]
                for _ in range(count)]
    if kind == "hash":
        return [[b"HSET", b"k", text(chance), text(chance)] for _ in range(count)]
    if kind == "zset":
        scores = (b"inf", b"-inf", b"0", b"-0", b"1.5", b"3.0000000000000004", b"1e300", b"17")
        return [[b"ZADD", b"k", chance.choice(scores), text(chance)] for _ in range(count)]
    entries = []
    at = 0
    for _ in range(count):
        at += chance.randrange(1, 4)
        fields = [b"f", text(chance)] if chance.randrange(3) else [b"f", text(chance), text(chance), text(chance)]
        entries.append([b"XADD", b"k", f"{at}-{chance.randrange(3)}".encode(), *fields])
    entries += [[b"XDEL", b"k", chance.choice(entries)[2]] for _ in range(count // 5)]
    entries.append([b"XGROUP", b"CREATE", b"k", b"all", b"0"])
    entries.append([b"XGROUP", b"CREATE", b"k", b"later", b"$", b"ENTRIESREAD", b"7"])
    for consumer in (b"one", b"two"):
        most = b"%d" % chance.randrange(1, 9)
        entries.append([b"XREADGROUP", b"GROUP", b"all", consumer, b"COUNT", most, b"STREAMS", b"k", b">"])
    entries.append([b"XACK", b"k", b"all", chance.choice(entries[:count])[2]])
    return entries


def contents(connection, kind, key):
    words, is_any_order = READS[kind]
    whole = call(connection, words[0], key, *words[1:])
    if is_any_order:
        whole = sorted(parts(whole, 2 if kind == "hash" else 1))
    extra = []
    if kind == "stream":
        extra = [call(connection, b"XINFO", b"GROUPS", key), call(connection, b"XPENDING", key, b"all"),
                 owners(call(connection, b"XPENDING", key, b"all", b"-", b"+", b"10000"))]
    return [whole, call(connection, b"PTTL", key) == b":-1\r\n", *extra]


def parts(reply, each):
    """The elements of an array of bulk strings, several together."""
    items, at = [], reply.index(b"\n") + 1
    while at < len(reply):
        end = reply.index(b"\r\n", at)
        length = int(reply[at + 1:end])
        items.append(reply[end + 2:end + 2 + length])
        at = end + length + 4
    return [tuple(items[i:i + each]) for i in range(0, len(items), each)]


def owners(reply):
    """Of XPENDING: id, consumer and how often, without how long ago it was."""
    lines = reply.split(b"\r\n")[1:-1]
    return [(lines[i + 2], lines[i + 4], lines[i + 6]) for i in range(0, len(lines), 7)]


def take(one, other, kind, key, ttl):
    payload = bulk(call(one, b"DUMP", b"k"))
    reply = call(other, b"RESTORE", key, ttl, payload, b"REPLACE")
    return None if reply == b"+OK\r\n" else reply


def check(redis, ours, seed):
    chance = random.Random(seed)
    kind = chance.choice(list(READS))
    words = requests(kind, chance)
    for made, other in ((redis, ours), (ours, redis)):
        for connection in (made, other):
            call(connection, b"DEL", b"k", b"d")
        for word in words:
            reply = call(made, *word)
            assert reply[:1] != b"-", (word, reply)
        if call(made, b"EXISTS", b"k") == b":0\r\n":
            continue
        whole = contents(made, kind, b"k")
        refused = take(made, other, kind, b"k", b"0")
        if refused:
            return f"{kind} refused by {'ours' if other is ours else 'redis'}: {refused}"
        if contents(other, kind, b"k") != whole:
            return f"{kind} differs in {'ours' if other is ours else 'redis'}"
        refused = take(other, made, kind, b"d", b"0")
        if refused or contents(made, kind, b"d") != whole:
            return f"{kind} differs when it is back: {refused}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", type=int, required=True)
    parser.add_argument("--ours", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    print(f"seed {options.seed}")
    redis, ours = resp.Connection(options.redis), resp.Connection(options.ours)
    passed = failed = 0
    end = time.monotonic() + options.seconds
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end or failed >= FAILED_MAX:
            break
        problem = check(redis, ours, seed)
        if problem:
            print(f"--seed {seed} --count 1: {problem}")
        failed += problem is not None
        passed += problem is None
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
