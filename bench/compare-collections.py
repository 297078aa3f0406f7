#!/usr/bin/env python3
"""Loads commands of collections on this project's server and on redis-server, in turn, and prints the CPU of both.

usage: compare-collections.py SERVER [--rounds 5] [--requests 300000] [--only NAME,NAME] [--sizes small,large]

SERVER is the command `cache` of a Release build (src/Cache.Tool/bin/Release/net10.0/Cache.Tool). Needs redis-server and
redis-benchmark. Each load is redis-benchmark with 20 connections and 16 requests at a time; CPU is that of all threads
of the server. Small: one collection of 100 elements for each command. Large: one of a million, filled in random order.
Then the bytes an element: used_memory before and after a collection of a million is filled, divided.
"""
import argparse
import random
import statistics
import subprocess
import sys
import time

import pair

SMALL, LARGE = 100, 1_000_000
VALUE = "v" * 20

# Name, command, how its key is filled; {} is an element of the collection at random.
LOADS = [
    ("HSET", "hset hash element:{} " + VALUE, "hash"),
    ("HGET", "hget hash element:{}", "hash"),
    ("HGETALL of 10", "hgetall ten", "ten"),
    ("LPUSH", "lpush list " + VALUE, "list"),
    ("RPOP", "rpop list", "list"),
    ("LRANGE_100", "lrange list 0 99", "list"),
    ("SADD", "sadd set element:{}", "set"),
    ("SISMEMBER", "sismember set element:{}", "set"),
    ("SPOP", "spop set", "set"),
    ("ZADD", "zadd zset {} element:{}", "zset"),
    ("ZSCORE", "zscore zset element:{}", "zset"),
    ("ZRANK", "zrank zset element:{}", "zset"),
    ("ZRANGE_10", "zrange zset 0 9", "zset"),
    ("ZPOPMIN", "zpopmin zset", "zset"),
    ("PFADD", "pfadd hll element:{}", None),
    ("XADD of 3 fields", f"xadd stream * name {VALUE} place {VALUE} kind {VALUE}", "stream"),
    ("XREAD of 10", "xread count 10 streams stream 0-0", "stream"),
    ("XREADGROUP of 10", "xreadgroup group readers one count 10 streams stream >", "group"),
]

FILLS = {
    "hash": lambda name: ("hset", "hash", "element:" + name, VALUE),
    "list": lambda name: ("rpush", "list", VALUE),
    "set": lambda name: ("sadd", "set", "element:" + name),
    "zset": lambda name: ("zadd", "zset", name, "element:" + name),
    "stream": lambda name: ("xadd", "stream", "*", "name", VALUE, "place", VALUE, "kind", VALUE),
    "ten": lambda name: ("hset", "ten", "element:" + name, VALUE),
}

# Of XREADGROUP: so many entries each, which nobody has read.
GROUP_ENTRIES = 10

PIPELINE = 10_000
CONNECTIONS = 20
REQUESTS_AT_ONCE = 16
WARM_UPS = 4


def fill(server, kind, count):
    if kind == "group":
        kind = "stream"
        server.send([("xgroup", "create", "stream", "readers", "0", "mkstream")])
    names = [f"{number:012d}" for number in range(count)]
    random.Random(1).shuffle(names)
    for start in range(0, count, PIPELINE):
        server.send([FILLS[kind](name) for name in names[start:start + PIPELINE]])


def load(server, command, elements, requests):
    """In microseconds of CPU time a request."""
    before = server.cpu_ns()
    done = subprocess.run(
        ["redis-benchmark", "-p", str(server.port), "-n", str(requests), "-r", str(elements), "-q",
         "-c", str(CONNECTIONS), "-P", str(REQUESTS_AT_ONCE), *command.replace("{}", "__rand_int__").split()],
        capture_output=True, text=True, check=True)
    if "ERR" in done.stdout or "ERR" in done.stderr:
        sys.exit(f"{server.name}: {command}: {done.stdout}{done.stderr}")
    return (server.cpu_ns() - before) / 1000 / requests


def count_of(kind, elements, requests):
    if kind == "group":
        return GROUP_ENTRIES * requests
    return 10 if kind == "ten" else elements


def warm_up(server, kind, command, elements, requests):
    """Until the compiler at run time has optimized what the load needs."""
    for number in range(WARM_UPS):
        if number == 0 or kind == "group":
            server.send([("flushall",)])
            if kind:
                fill(server, kind, count_of(kind, elements, requests))
        load(server, command, elements, requests)
        time.sleep(0.3)


def compare(servers, size, elements, options):
    for name, command, kind in LOADS:
        if options.only and name.split()[0].lower() not in options.only:
            continue
        figures = {server.name: [] for server in servers}
        requests = options.requests // GROUP_ENTRIES if kind == "group" else options.requests
        warm_up(servers[0], kind, command, elements, requests)
        for server in pair.in_turn(servers, options.rounds):
            server.send([("flushall",)])
            if kind:
                fill(server, kind, count_of(kind, elements, requests + requests // 10))
            load(server, command, elements, requests // 10)
            if name in ("SPOP", "RPOP", "ZPOPMIN") and elements < options.requests:
                fill(server, kind, elements)
            figures[server.name].append(load(server, command, elements, requests))
        ours, theirs = (figures[server.name] for server in servers)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"| {size} | {name} | {statistics.median(ours):.2f} | {statistics.median(theirs):.2f} | {ratio:.2f} |",
              flush=True)


def measure_memory(servers):
    for kind in ("set", "hash", "zset", "list", "stream"):
        bytes_each = []
        for server in servers:
            server.send([("flushall",)])
            time.sleep(2)
            before = server.used_memory()
            fill(server, kind, LARGE)
            bytes_each.append((server.used_memory() - before) / LARGE)
        print(f"| bytes an element | {kind} | {bytes_each[0]:.1f} | {bytes_each[1]:.1f} "
              f"| {bytes_each[0] / bytes_each[1]:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=300_000)
    parser.add_argument("--only", type=lambda text: text.lower().split(","))
    parser.add_argument("--sizes", type=lambda text: text.split(","), default=["small", "large", "memory"])
    options = parser.parse_args()
    with pair.both(options.server) as servers:
        print("| size | command | ours, us | redis, us | ours / redis |\n|---|---|---|---|---|", flush=True)
        if "small" in options.sizes:
            compare(servers, "small", SMALL, options)
        if "large" in options.sizes:
            compare(servers, "large", LARGE, options)
        if "memory" in options.sizes:
            measure_memory(servers)


if __name__ == "__main__":
    main()
