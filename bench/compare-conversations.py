#!/usr/bin/env python3
"""Transactions, waiting, publishing and tracking on this project's server and on redis-server, in turn.

usage: compare-conversations.py SERVER [--rounds 7] [--only multi,publish,pop,tracking,memory]

SERVER is the command `cache` of a Release build (src/Cache.Tool/bin/Release/net10.0/Cache.Tool). Needs redis-server and
20,000 open files. CPU is that of all threads of the server; medians of rounds in turn, and of their ratios.
"""
import argparse
import selectors
import socket
import statistics
import time

import pair
from pair import encode

CONNECTIONS = 16
INCREMENTS = 10
TRANSACTIONS = 6_000
DELIVERIES = 60_000
SUBSCRIBERS = (1, 100, 10_000)
MESSAGE = "m" * 64
HAND_OVERS = 3_000
SETS = 20_000
TRACKERS = (1, 10, 50)
IDLE_SUBSCRIBERS = 9_500
FIRST_SUBSCRIBERS = 500
FIRST_TIMES = 100
WARM_UPS = 4
SECONDS_TO_WAIT = 30

# Long enough for counters that stay as long, so that the length of every reply is known.
FIRST_COUNT = "1000000000"


class Connections:
    """Each sends its request again when the reply to the one before is whole, which is known by its length alone."""

    def __init__(self, server, count):
        self.sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
        self.selector = selectors.DefaultSelector()
        for number, one in enumerate(self.sockets):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(one, selectors.EVENT_READ, number)

    def ask(self, requests, reply_bytes, times):
        left, due = [times] * len(self.sockets), [reply_bytes] * len(self.sockets)
        for one, request in zip(self.sockets, requests):
            one.sendall(request)
        running = len(self.sockets)
        while running:
            for key, _ in self.selector.select(SECONDS_TO_WAIT):
                number = key.data
                due[number] -= len(key.fileobj.recv(1 << 20))
                if due[number]:
                    continue
                left[number] -= 1
                if left[number]:
                    due[number] = reply_bytes
                    key.fileobj.sendall(requests[number])
                else:
                    running -= 1

    def drain(self, total_bytes):
        """Reads what is pushed, until so many bytes have come."""
        while total_bytes > 0:
            for key, _ in self.selector.select(SECONDS_TO_WAIT):
                total_bytes -= len(key.fileobj.recv(1 << 20))

    def say(self, request, reply_bytes):
        for one in self.sockets:
            one.sendall(request)
        for one in self.sockets:
            left = reply_bytes
            while left:
                left -= len(one.recv(left))

    def close(self):
        self.selector.close()
        for one in self.sockets:
            one.close()


def cpu_of(server, act):
    before = server.cpu_ns()
    act()
    return (server.cpu_ns() - before) / 1000


def transactions(server, at_once):
    """Ten INCR of ten keys, for each connection its own."""
    keys = [[f"counter:{number}:{index}" for index in range(INCREMENTS)] for number in range(CONNECTIONS)]
    server.send([("set", key, FIRST_COUNT) for of_one in keys for key in of_one])
    whole = [encode("MULTI") + b"".join(encode("INCR", key) for key in of_one) + encode("EXEC") for of_one in keys]
    reply = len(b"+OK\r\n") + INCREMENTS * (len(b"+QUEUED\r\n") + len(f":{FIRST_COUNT}\r\n")) + len(f"*{INCREMENTS}\r\n")
    times = TRANSACTIONS // CONNECTIONS // at_once * (4 if at_once > 1 else 1)
    connections = Connections(server, CONNECTIONS)
    try:
        took = cpu_of(server, lambda: connections.ask([one * at_once for one in whole], reply * at_once, times))
    finally:
        connections.close()
    return took / (times * at_once * CONNECTIONS)


def deliveries(server, count):
    listeners = Connections(server, count)
    try:
        subscribed = b"*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"
        listeners.say(encode("SUBSCRIBE", "news"), len(subscribed))
        message = len(encode("message", "news", MESSAGE))
        times = max(DELIVERIES // count, 3) if count > 1 else DELIVERIES // 4

        def publish():
            for _ in range(times):
                server.send([("publish", "news", MESSAGE)])
                listeners.drain(message * count)

        return cpu_of(server, publish) / (times * count)
    finally:
        listeners.close()


def hand_over_us(server):
    """From the push to the element at who waited for it."""
    waiter = socket.create_connection(("127.0.0.1", server.port))
    waiter.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    served = len(encode("queue", "job"))
    push, times = encode("LPUSH", "queue", "job"), []
    for _ in range(HAND_OVERS):
        waiter.sendall(encode("BLPOP", "queue", "0"))
        time.sleep(0.0002)
        start = time.perf_counter_ns()
        server.socket.sendall(push)
        left = served
        while left:
            left -= len(waiter.recv(left))
        times.append((time.perf_counter_ns() - start) / 1000)
        server.reader.readline()
    waiter.close()
    times.sort()
    return times[len(times) // 2], times[len(times) * 99 // 100]


def tracked_sets(server, count):
    """One SET at a time of each connection, beside so many clients that hear of each key."""
    trackers = Connections(server, count) if count else None
    setters = Connections(server, CONNECTIONS)
    times = SETS // CONNECTIONS
    try:
        if trackers:
            for one in trackers.sockets:
                one.sendall(encode("HELLO", "3") + encode("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "key:"))
            time.sleep(0.2)
            for one in trackers.sockets:
                one.recv(1 << 20)
        requests = [encode("SET", f"key:{number:04d}", MESSAGE) for number in range(CONNECTIONS)]
        before = server.cpu_ns()
        if not trackers:
            setters.ask(requests, len(b"+OK\r\n"), times)
        else:
            # Who hears is read between, so that no output grows.
            for _ in range(times // 25):
                setters.ask(requests, len(b"+OK\r\n"), 25)
                time.sleep(0)
                for key, _ in trackers.selector.select(0):
                    key.fileobj.recv(1 << 20)
        return (server.cpu_ns() - before) / 1000 / (times // 25 * 25 * CONNECTIONS)
    finally:
        setters.close()
        if trackers:
            trackers.close()


def compare(servers, name, measure, options):
    figures = {server.name: [] for server in servers}
    for server in servers:
        for _ in range(WARM_UPS if server.name == "ours" else 1):
            measure(server)
            time.sleep(0.3)
    for server in pair.in_turn(servers, options.rounds):
        figures[server.name].append(measure(server))
    ours, theirs = (figures[server.name] for server in servers)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"| {name} | {statistics.median(ours):.2f} | {statistics.median(theirs):.2f} | {ratio:.2f} |", flush=True)
    return ours, theirs


def compare_hand_over(servers, options):
    both = {server.name: [] for server in servers}
    for server in pair.in_turn(servers, options.rounds + 2):
        both[server.name].append(hand_over_us(server))
    for name, index in (("p50", 0), ("p99", 1)):
        ours, theirs = (statistics.median(one[index] for one in both[server.name][2:]) for server in servers)
        print(f"| BLPOP hand-over {name}, us | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |", flush=True)


def compare_tracking(servers, options):
    alone = compare(servers, "SET, nobody tracks", lambda server: tracked_sets(server, 0), options)
    for count in TRACKERS:
        told = compare(servers, f"SET, {count} track by prefix", lambda server: tracked_sets(server, count), options)
        added = [statistics.median(after) - statistics.median(before) for after, before in zip(told, alone)]
        print(f"| added by {count} | {added[0]:.2f} | {added[1]:.2f} | {added[0] / added[1]:.2f} |", flush=True)


def compare_memory(servers):
    """What one more client that has subscribed takes of the process, once its compiler has finished."""
    each = []
    subscribed = len(b"*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n")
    ended = len(b"*3\r\n$11\r\nunsubscribe\r\n$4\r\nnews\r\n:0\r\n")
    for server in servers:
        first = Connections(server, FIRST_SUBSCRIBERS)
        for _ in range(FIRST_TIMES):
            first.say(encode("SUBSCRIBE", "news"), subscribed)
            first.say(encode("UNSUBSCRIBE", "news"), ended)
        first.say(encode("SUBSCRIBE", "news"), subscribed)
        time.sleep(3)
        before = server.resident_bytes()
        listeners = Connections(server, IDLE_SUBSCRIBERS)
        listeners.say(encode("SUBSCRIBE", "news"), subscribed)
        time.sleep(3)
        each.append((server.resident_bytes() - before) / IDLE_SUBSCRIBERS)
        listeners.close()
        first.close()
    print(f"| bytes a subscriber, of {IDLE_SUBSCRIBERS} | {each[0]:.0f} | {each[1]:.0f} | {each[0] / each[1]:.2f} |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", type=lambda text: text.split(","), default="memory,multi,publish,pop,tracking".split(","))
    options = parser.parse_args()
    with pair.both(options.server) as servers:
        print("| CPU, us | ours | redis | ours / redis |\n|---|---|---|---|", flush=True)
        if "memory" in options.only:
            compare_memory(servers)
        if "multi" in options.only:
            for at_once in (1, 16):
                compare(servers, f"MULTI of {INCREMENTS} INCR, {at_once} at once",
                        lambda server: transactions(server, at_once), options)
        if "publish" in options.only:
            for count in SUBSCRIBERS:
                compare(servers, f"PUBLISH to {count}, a delivery", lambda server: deliveries(server, count), options)
        if "pop" in options.only:
            compare_hand_over(servers, options)
        if "tracking" in options.only:
            compare_tracking(servers, options)


if __name__ == "__main__":
    main()
