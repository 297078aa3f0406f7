#!/usr/bin/env python3
"""Runs random conversations of several connections against Redis and against our server: who gets what, and in which
order. A difference fails, with the shortest conversation that shows it.

usage: conversations.py --redis PORT --ours PORT [--count N] [--seconds N] [--seed N] [--length N]

Transactions, waits, channels, events of keys and client tracking, by clients of RESP2 and RESP3. The seed is printed;
conversation number I of seed S is the same at any time: --seed S+I --count 1 runs it alone.

One client acts at a time. Redis has one thread, so what it has sent when a few rounds of its loop are over is all that
comes of a step; ours has until a deadline to send the same, and what it sends beyond that is a difference of a later
step. Left out is what differs by intention: what a client publishes to itself within a transaction or hears of its own
events, the order in which UNSUBSCRIBE without names names channels, and broadcasts.
"""

import argparse
import random
import select
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "eng/commands"))

import resp  # noqa: E402, of eng/commands

# On a loaded machine.
SECONDS_MAX = 20

# While a conversation that differs is shortened: a difference that is one of time alone is told as it was found.
SECONDS_MAX_SHORTENING = 1

ROUNDS = 3

# The last one listens to events, and does nothing else.
CLIENTS = ("a", "b3", "c", "d3", "e", "f3")
LISTENER = "listener"

# One each: Redis keeps patterns in a table of hashes, whose order is any.
PATTERNS = {"d3": "c*", "e": "c?", "f3": "c*1"}

# What is compared at the end.
KEYS = [kind + number for kind in "slzh" for number in "012"]


class Gone(Exception):
    """The server closed a connection, or answered nothing in time."""


class Client:
    """A connection that keeps the bytes that have come."""

    def __init__(self, port, is_resp3):
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""
        if is_resp3:
            self.ask("HELLO", "3")
        self.id = int(self.ask("CLIENT", "ID")[1:-2])

    def send(self, *words):
        self.socket.sendall(resp.encode([word.encode("latin1") for word in words]))

    def ask(self, *words):
        """The reply to a command of a client that nobody pushes to."""
        self.send(*words)
        self.send("ECHO", "the end")
        end = b"$7\r\nthe end\r\n"
        return self.take_until(end)[:-len(end)]

    def take_until(self, end):
        while not self.got.endswith(end):
            if not self.receive(SECONDS_MAX):
                raise Gone()
        taken, self.got = self.got, b""
        return taken

    def receive(self, seconds):
        """Takes what comes within some seconds."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return False
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise Gone()
        self.got += piece
        return True


class Server:
    def __init__(self, port):
        self._port = port
        self._control = Client(port, False)
        self.clients = {}

    def begin(self):
        self._control.ask("FLUSHALL")
        self._control.ask("CONFIG", "SET", "notify-keyspace-events", "KEA")
        for name in (*CLIENTS, LISTENER):
            self.clients[name] = Client(self._port, name.endswith("3"))
        self.clients[LISTENER].send("PSUBSCRIBE", "__key*")
        self.clients[LISTENER].take_until(b":1\r\n")

    def end(self):
        for client in self.clients.values():
            client.socket.close()
        self.clients.clear()
        self._await(lambda: self.info("connected_clients") == 1)

    def info(self, field):
        text = self._control.ask("INFO", "clients")
        return int(text.split(f"\r\n{field}:".encode())[1].split(b"\r\n")[0])

    def reopen(self, name):
        count = self.info("connected_clients")
        self.clients[name].socket.close()
        self._await(lambda: self.info("connected_clients") == count - 1)
        self.clients[name] = Client(self._port, name.endswith("3"))

    def pass_rounds(self):
        for _ in range(ROUNDS):
            self._control.ask("PING")

    def receive_all(self, seconds=0):
        sockets = {client.socket: client for client in self.clients.values()}
        for each in select.select(list(sockets), [], [], seconds)[0]:
            while sockets[each].receive(0):
                pass

    def take(self):
        got = {name: client.got for name, client in self.clients.items()}
        for client in self.clients.values():
            client.got = b""
        return got

    def state(self):
        readers = {"s": ("GET",), "l": ("LRANGE", "0", "-1"), "z": ("ZRANGE", "0", "-1"), "h": ("HGETALL",)}
        return [self._control.ask(readers[key[0]][0], key, *readers[key[0]][1:]) for key in KEYS]

    @staticmethod
    def _await(condition):
        end = time.monotonic() + SECONDS_MAX
        while not condition():
            if time.monotonic() > end:
                raise Gone()
            time.sleep(0.001)


class Talk:
    """Generates a conversation: it knows what each client has begun, so that most steps mean something."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self._multi = set()
        self._restricted = set()
        self._subscribed = {}
        self._tracking = set()

    def steps(self, length):
        return [self._step() for _ in range(length)]

    def _step(self):
        chance = self._random.random()
        name = self._random.choice(CLIENTS)
        if chance < 0.02:
            self._multi.discard(name)
            self._tracking.discard(name)
            self._subscribed.pop(name, None)
            return (name, "!reopen")
        if chance < 0.07:
            other = self._random.choice(CLIENTS)
            return (name, "CLIENT", "UNBLOCK", f"!id {other}", *self._random.choice([(), ("TIMEOUT",), ("ERROR",)]))
        if name in self._subscribed and not name.endswith("3"):
            return (name, *self._of_subscriber(name))
        if chance < 0.14:
            return (name, *self._of_transaction(name))
        if chance < 0.26 and name not in self._multi:
            return (name, *self._of_channels(name))
        if chance < 0.36 and name.endswith("3"):
            return (name, *self._of_tracking(name))
        if chance < 0.55:
            return (name, *self._wait())
        return (name, *(self._read() if chance < 0.7 else self._write()))

    def _key(self, kind):
        # Sometimes one of another kind.
        return self._random.choice("slzh" if self._random.random() < 0.03 else kind) + self._random.choice("012")

    def _keys(self, kind):
        return [self._key(kind) for _ in range(self._random.choice([1, 1, 2, 3]))]

    def _end(self):
        return self._random.choice(["LEFT", "RIGHT"])

    def _wait(self):
        choice = self._random.randrange(7)
        if choice < 2:
            return (self._random.choice(["BLPOP", "BRPOP"]), *self._keys("l"), "0")
        if choice == 2:
            return ("BLMOVE", self._key("l"), self._key("l"), self._end(), self._end(), "0")
        if choice == 3:
            return ("BRPOPLPUSH", self._key("l"), self._key("l"), "0")
        if choice == 4:
            keys = self._keys("l")
            return ("BLMPOP", "0", str(len(keys)), *keys, self._end(), "COUNT", self._random.choice("123"))
        if choice == 5:
            return (self._random.choice(["BZPOPMIN", "BZPOPMAX"]), *self._keys("z"), "0")
        keys = self._keys("z")
        return ("BZMPOP", "0", str(len(keys)), *keys, self._random.choice(["MIN", "MAX"]), "COUNT", "2")

    def _read(self):
        return self._random.choice([
            ("GET", self._key("s")), ("LRANGE", self._key("l"), "0", "-1"), ("ZRANGE", self._key("z"), "0", "-1"),
            ("MGET", self._key("s"), self._key("s")), ("LLEN", self._key("l")), ("ZCARD", self._key("z")),
            ("HGETALL", self._key("h")), ("EXISTS", self._key("l"), self._key("z")), ("STRLEN", self._key("s")),
        ])

    def _texts(self):
        return [str(self._random.randrange(100)) for _ in range(self._random.choice([1, 1, 2, 3]))]

    def _write(self):
        pairs = [word for text in self._texts() for word in (self._random.choice("12345"), text)]
        return self._random.choice([
            ("RPUSH", self._key("l"), *self._texts()), ("LPUSH", self._key("l"), *self._texts()),
            ("RPUSH", self._key("l"), *self._texts()), ("ZADD", self._key("z"), *pairs),
            ("ZADD", self._key("z"), *pairs), ("LPOP", self._key("l")), ("RPOP", self._key("l")),
            ("LMOVE", self._key("l"), self._key("l"), self._end(), self._end()), ("ZPOPMIN", self._key("z")),
            ("ZREM", self._key("z"), *self._texts()), ("SET", self._key("s"), *self._texts()[:1]),
            ("INCR", self._key("s")), ("APPEND", self._key("s"), "1"), ("DEL", self._key("l"), self._key("s")),
            ("RENAME", self._key("l"), self._key("l")), ("COPY", self._key("l"), self._key("l")),
            ("HSET", self._key("h"), "f", *self._texts()[:1]), ("HDEL", self._key("h"), "f"),
            ("SORT", self._key("l"), "STORE", self._key("l")), ("LPUSHX", self._key("l"), "x"),
            ("ZUNIONSTORE", self._key("z"), "2", self._key("z"), self._key("z")),
            ("LINSERT", self._key("l"), "BEFORE", "1", "2"), ("EXPIRE", self._key("l"), "1000"),
            ("PERSIST", self._key("l")), ("LREM", self._key("l"), "1", *self._texts()[:1]), ("FLUSHDB",),
        ])

    def _of_transaction(self, name):
        if name not in self._multi:
            choice = self._random.randrange(4)
            if choice == 0:
                return ("WATCH", *self._keys("sl"))
            if choice == 1 and self._random.random() < 0.3:
                return ("UNWATCH",)
            self._multi.add(name)
            return ("MULTI",)
        self._multi.discard(name)
        return ("EXEC",) if self._random.random() < 0.85 else ("DISCARD",)

    def _of_channels(self, name):
        choice = self._random.randrange(10)
        if choice < 5 or name in ("a", "b3", "c"):
            return (self._random.choice(["PUBLISH", "PUBLISH", "SPUBLISH"]), self._random.choice(["c0", "c1"]),
                    *self._texts()[:1])
        self._subscribed.setdefault(name, True)
        return (self._random.choice(["SUBSCRIBE", "SUBSCRIBE", "SSUBSCRIBE"]), self._random.choice(["c0", "c1"])) \
            if choice < 8 else ("PSUBSCRIBE", PATTERNS[name])

    def _of_subscriber(self, name):
        if self._random.random() < 0.3:
            self._subscribed.pop(name)
            return ("!unsubscribe",)
        return self._random.choice([
            ("PING",), ("SUBSCRIBE", "c1"), ("UNSUBSCRIBE", "c1"), ("PSUBSCRIBE", PATTERNS[name]),
            ("PUNSUBSCRIBE", PATTERNS[name]), ("GET", "s0"), ("SSUBSCRIBE", "c0"),
        ])

    def _of_tracking(self, name):
        if name in self._multi:
            return self._read()
        if name not in self._tracking:
            self._tracking.add(name)
            return ("CLIENT", "TRACKING", "ON", *self._random.choice([(), (), ("NOLOOP",), ("OPTIN",), ("OPTOUT",)]))
        choice = self._random.random()
        if choice < 0.3:
            return ("CLIENT", "CACHING", self._random.choice(["YES", "NO"]))
        if choice < 0.4:
            self._tracking.discard(name)
            return ("CLIENT", "TRACKING", "OFF")
        return self._read()


class Conversation:
    """One run of some steps beside each other."""

    def __init__(self, servers, seconds_max=SECONDS_MAX):
        self._servers = servers
        self._seconds_max = seconds_max
        self._waiting = set()

    def difference(self, steps):
        """The number of the step whose outcome differs, with both outcomes; None: there is none."""
        for server in self._servers:
            server.begin()
        try:
            for number, step in enumerate(steps):
                if found := self._run(step):
                    return (number, *found)
            states = [server.state() for server in self._servers]
            return None if states[0] == states[1] else (len(steps), *map(str, states))
        finally:
            for server in self._servers:
                server.end()

    def _run(self, step):
        name, *words = step
        if words[0] == "!reopen":
            self._waiting.discard(name)
            for server in self._servers:
                server.reopen(name)
            return self._compare()
        if name in self._waiting:
            return None  # It would only be read later.
        if words[0] == "!unsubscribe":
            for command in (["UNSUBSCRIBE", "c1", "c0"], ["PUNSUBSCRIBE", PATTERNS[name]],
                            ["SUNSUBSCRIBE", "c0", "c1"]):
                if found := self._send(name, command):
                    return found
            return None
        return self._send(name, words)

    def _send(self, name, words):
        for server in self._servers:
            server.clients[name].send(
                *(str(server.clients[word[4:]].id) if word.startswith("!id ") else word for word in words))
        return self._compare(name)

    def _compare(self, sender=None):
        redis, ours = self._servers
        redis.pass_rounds()
        redis.receive_all()
        theirs = redis.take()
        for name, got in theirs.items():
            if got:
                self._waiting.discard(name)
        if sender and not theirs[sender]:
            self._waiting.add(sender)
        got = {name: b"" for name in theirs}
        end = time.monotonic() + self._seconds_max
        blocked = redis.info("blocked_clients")
        while True:
            ours.receive_all(0.0005)
            for name, more in ours.take().items():
                got[name] += more
            is_wrong = any(not theirs[name].startswith(text) for name, text in got.items())
            if is_wrong or time.monotonic() > end:
                return self._describe(theirs, got, blocked)
            if got == theirs and ours.info("blocked_clients") == blocked:
                return None

    @staticmethod
    def _describe(theirs, got, blocked):
        differing = [name for name in theirs if theirs[name] != got[name]]
        return tuple(", ".join(f"{name}: {one[name]!r}" for name in differing) or f"{blocked} clients should wait"
                     for one in (theirs, got))


def shorten(steps, differs):
    """Leaves out what is not needed for a difference."""
    size = len(steps) // 2
    while size:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size:]
            if differs(fewer):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", type=int, required=True)
    parser.add_argument("--ours", type=int, required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0, help="for so long, instead of a count")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--length", type=int, default=80)
    options = parser.parse_args()
    servers = [Server(options.redis), Server(options.ours)]
    print(f"seed {options.seed}")
    passed = failed = 0
    end = time.monotonic() + options.seconds
    while (time.monotonic() < end) if options.seconds else (passed + failed < options.count):
        seed = options.seed + passed + failed
        steps = Talk(seed).steps(options.length)
        found = Conversation(servers).difference(steps)
        if not found:
            passed += 1
            continue
        failed += 1
        print(f"seed {seed}, step {found[0]}:\n    Redis: {found[1]}\n    ours:  {found[2]}", flush=True)
        steps = shorten(
            steps[:found[0] + 1],
            lambda fewer: Conversation(servers, SECONDS_MAX_SHORTENING).difference(fewer) is not None)
        found = Conversation(servers).difference(steps) or found
        print("Shortened:")
        for step in steps:
            print("   ", *step)
        print(f"    Redis: {found[1]}\n    ours:  {found[2]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
