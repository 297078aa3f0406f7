#!/usr/bin/env python3
"""Loads commands of collections on this project's server and on redis-server, in turn, and prints the CPU of both.

usage: collections.py SERVER [--rounds 5] [--requests 300000] [--only NAME,NAME] [--sizes small,large]

SERVER is the command `cache` of a Release build (src/Cache.Tool/bin/Release/net10.0/Cache.Tool). Needs redis-server and
redis-benchmark. Each load is redis-benchmark with 20 connections and 16 requests at a time; CPU is that of all threads
of the server. Small: one collection of 100 elements for each command. Large: one of a million, filled in random order.
Then the bytes an element: used_memory before and after a collection of a million is filled, divided.
"""
import argparse
import glob
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

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
]

FILLS = {
    "hash": lambda name: ("hset", "hash", "element:" + name, VALUE),
    "list": lambda name: ("rpush", "list", VALUE),
    "set": lambda name: ("sadd", "set", "element:" + name),
    "zset": lambda name: ("zadd", "zset", name, "element:" + name),
    "ten": lambda name: ("hset", "ten", "element:" + name, VALUE),
}

PIPELINE = 10_000
CONNECTIONS = 20
REQUESTS_AT_ONCE = 16
WARM_UPS = 4


class Server:
    def __init__(self, name, command, port):
        self.name, self.port = name, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.1)
        self.reader = self.socket.makefile("rb")

    def cpu_ns(self):
        return sum(int(open(path).read().split()[0]) for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"))

    def send(self, requests):
        self.socket.sendall(b"".join(
            b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)
            for words in requests))
        for words in requests:
            reply = self.reader.readline()
            if reply.startswith(b"-"):
                sys.exit(f"{self.name}: {' '.join(words)[:80]}: {reply.decode().strip()}")

    def used_memory(self):
        self.socket.sendall(b"INFO memory\r\n")
        text = self.reader.read(int(self.reader.readline()[1:]) + 2).decode()
        return int(text.split("used_memory:")[1].split()[0])

    def fill(self, kind, count):
        names = [f"{number:012d}" for number in range(count)]
        random.Random(1).shuffle(names)
        for start in range(0, count, PIPELINE):
            self.send([FILLS[kind](name) for name in names[start:start + PIPELINE]])

    def load(self, command, elements, requests):
        before = self.cpu_ns()
        done = subprocess.run(
            ["redis-benchmark", "-p", str(self.port), "-n", str(requests), "-r", str(elements), "-q",
             "-c", str(CONNECTIONS), "-P", str(REQUESTS_AT_ONCE), *command.replace("{}", "__rand_int__").split()],
            capture_output=True, text=True, check=True)
        if "ERR" in done.stdout or "ERR" in done.stderr:
            sys.exit(f"{self.name}: {command}: {done.stdout}{done.stderr}")
        return (self.cpu_ns() - before) / 1000 / requests

    def stop(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def warm_up(server, kind, command, elements, options):
    """Until the compiler at run time has optimized what the load needs."""
    server.send([("flushall",)])
    if kind:
        server.fill(kind, 10 if kind == "ten" else elements)
    for _ in range(WARM_UPS):
        server.load(command, elements, options.requests)
        time.sleep(0.3)


def compare(servers, size, elements, options):
    for name, command, kind in LOADS:
        if options.only and name.split()[0].lower() not in options.only:
            continue
        figures = {server.name: [] for server in servers}
        warm_up(servers[0], kind, command, elements, options)
        for round_number in range(options.rounds):
            for server in servers if round_number % 2 == 0 else servers[::-1]:
                server.send([("flushall",)])
                if kind:
                    server.fill(kind, 10 if kind == "ten" else elements)
                server.load(command, elements, options.requests // 10)
                if name in ("SPOP", "RPOP", "ZPOPMIN") and elements < options.requests:
                    server.fill(kind, elements)
                figures[server.name].append(server.load(command, elements, options.requests))
        ours, theirs = (figures[server.name] for server in servers)
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"| {size} | {name} | {statistics.median(ours):.2f} | {statistics.median(theirs):.2f} | {ratio:.2f} |",
              flush=True)


def measure_memory(servers):
    for kind in ("set", "hash", "zset", "list"):
        bytes_each = []
        for server in servers:
            server.send([("flushall",)])
            time.sleep(2)
            before = server.used_memory()
            server.fill(kind, LARGE)
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
    folder = tempfile.mkdtemp()
    ports = [free_port(), free_port()]
    servers = [
        Server("ours", [options.server, "server", "--port", str(ports[0]), "--maxmemory", "4gb", "--dir", folder], ports[0]),
        Server("redis", ["redis-server", "--port", str(ports[1]), "--save", "", "--dir", folder], ports[1]),
    ]
    try:
        print("| size | command | ours, us | redis, us | ours / redis |\n|---|---|---|---|---|", flush=True)
        if "small" in options.sizes:
            compare(servers, "small", SMALL, options)
        if "large" in options.sizes:
            compare(servers, "large", LARGE, options)
        if "memory" in options.sizes:
            measure_memory(servers)
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
