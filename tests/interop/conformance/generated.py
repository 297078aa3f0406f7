#!/usr/bin/env python3
"""Runs random sequences of commands against Redis and against our server; a difference in a reply or in what is left
fails, with the shortest sequence that shows it.

usage: generated.py --redis PORT --ours PORT [--count N] [--seed N] [--length N] [--processes N] [--seconds N]
                    FAMILY...

A family is a module of the folder families: what its commands are, and what may differ between replies. One whose
sequences are WEIGHT times as much work as others' has so many times fewer. The seed is printed; sequence number I of seed S is the same at any time: --seed S+I --count 1 runs it alone. Odd seeds run in RESP3.

Many sequences leave in one write, and their replies are compared as bytes; only where these differ are they read one by
one. Every eighth sequence runs a second time, on several connections that take turns, its pipelines cut anywhere.
Several processes have a database each. After --seconds no more begin; what
ran is printed.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import importlib
import multiprocessing
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "eng/commands"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import resp  # noqa: E402, of eng/commands

BATCH = 32

# What a process does of one family before it takes another one.
CHUNK = 8 * BATCH
CONNECTIONS = 3

# Of the sequences that run on several connections.
APART_EVERY = 8
TURN_MAX = 12
CUTS_MAX = 3

# The servers are asked one after the other, on a loaded machine.
TTL_SLACK_SECONDS = 10

# A process that has found so many goes no further.
FAILED_MAX = 5

EMPTY = resp.encode([b"FLUSHDB"])

# No reply of a family has it.
MARK = resp.encode([b"ECHO", b"<end of the sequence>"])
MARK_REPLY = b"$21\r\n<end of the sequence>\r\n"


class Server:
    """One of the two servers, in both versions of the protocol: a few connections to one of its databases."""

    def __init__(self, port, database):
        self._connections = {2: [], 3: []}
        for protocol in self._connections:
            for _ in range(CONNECTIONS):
                connection = resp.Connection(port)
                connection.call("HELLO", str(protocol))
                connection.call("SELECT", str(database))
                self._connections[protocol].append(connection)

    def run(self, steps, protocol):
        """Sends all commands at once, behind a FLUSHDB, and reads their replies."""
        connection = self._connections[protocol][0]
        connection.send(EMPTY + b"".join(step.data for step in steps))
        connection.read_reply()
        return [connection.read_reply() for _ in steps]

    def run_apart(self, steps, protocol, source):
        """The same on several connections, in turns: a turn's commands leave in pieces that are cut anywhere."""
        connections = self._connections[protocol]
        connections[0].send(EMPTY)
        connections[0].read_reply()
        replies, at = [], 0
        while at < len(steps):
            connection = source.choice(connections)
            turn = steps[at:at + source.randrange(1, TURN_MAX + 1)]
            at += len(turn)
            data = b"".join(step.data for step in turn)
            for piece in cut(data, source):
                connection.send(piece)
            replies += [connection.read_reply() for _ in turn]
        return replies

    def send(self, data, protocol):
        self._connections[protocol][0].send(data)

    def take_until(self, mark, protocol):
        """The bytes of replies up to that of an ECHO, without it."""
        return self._connections[protocol][0].take_until(mark)


def cut(data, source):
    """The data in a few pieces."""
    ends = sorted(source.randrange(len(data) + 1) for _ in range(source.randrange(CUTS_MAX + 1)))
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)]) if start < end]


class Step:
    """A command, and the function that says whether two replies mean the same; None: byte for byte."""

    def __init__(self, *words, same=None):
        self.words = [word if isinstance(word, bytes) else str(word).encode("latin1") for word in words]
        self.data = resp.encode(self.words)
        self.same = same

    def agrees(self, theirs, ours):
        if theirs.raw == ours.raw:
            return True
        if self.words[0] == b"TTL" and theirs.raw[:1] == ours.raw[:1] == b":":
            return min(int(theirs.raw[1:]), int(ours.raw[1:])) > 0 and (
                abs(int(theirs.raw[1:]) - int(ours.raw[1:])) <= TTL_SLACK_SECONDS)
        return self.same is not None and self.same(theirs.tree, ours.tree)

    def __str__(self):
        return " ".join(repr(word.decode("latin1")) if not word or b" " in word else word.decode("latin1")
                        for word in self.words)


def difference(steps, protocol, redis, ours):
    """The first step whose replies differ, with both; None if there is none."""
    for step, theirs, our in zip(steps, redis.run(steps, protocol), ours.run(steps, protocol)):
        if not step.agrees(theirs, our):
            return step, theirs.raw, our.raw
    return None


def shrunk(groups, ending, protocol, redis, ours):
    """Leaves out groups of steps as long as a difference stays."""
    size = len(groups)
    while size >= 1:
        at = 0
        while at < len(groups):
            fewer = groups[:at] + groups[at + size:]
            if difference(flat(fewer) + ending, protocol, redis, ours):
                groups = fewer
            else:
                at += size
        size //= 2
    return groups


def flat(groups):
    return [step for group in groups for step in group]


class Sequence:
    """The steps of a seed."""

    def __init__(self, family, seed, length):
        source = random.Random(seed)
        self.seed = seed
        self.protocol = 3 if seed % 2 else 2
        self.groups = [family.make(source, Step) for _ in range(source.randrange(1, length + 1))]
        self.ending = family.ending(Step)
        self.steps = flat(self.groups) + self.ending
        self.is_apart = seed % APART_EVERY == 0
        self.source = source

    def difference(self, theirs, ours):
        """The first step whose replies differ, with both, in the bytes of all replies; None if there is none."""
        if theirs == ours:
            return None
        replies = zip(self.steps, resp.parse(theirs)[1:], resp.parse(ours)[1:], strict=True)
        return next(
            ((step, their.raw, our.raw) for step, their, our in replies if not step.agrees(their, our)), None)

    def report(self, found, redis, ours):
        """Prints the shortest sequence that shows a difference, or what was found if it does not show it again."""
        groups = shrunk(self.groups, self.ending, self.protocol, redis, ours)
        steps = flat(groups) + self.ending
        again = difference(steps, self.protocol, redis, ours)
        step, theirs, our = again or found
        print(f"seed {self.seed}, RESP{self.protocol}{'' if again else ', not seen again'}:")
        for each in steps if again else self.steps:
            print(f"    {each}")
            if each is step:
                break
        print(f"  Redis {theirs!r}\n  ours  {our!r}", flush=True)

    def run_apart(self, redis, ours):
        """Whether it shows no difference on several connections."""
        state = self.source.getstate()
        theirs = redis.run_apart(self.steps, self.protocol, self.source)
        self.source.setstate(state)
        our_replies = ours.run_apart(self.steps, self.protocol, self.source)
        for step, their, our in zip(self.steps, theirs, our_replies):
            if not step.agrees(their, our):
                print(f"seed {self.seed}, RESP{self.protocol}, on several connections: {step}\n"
                      f"  Redis {their.raw!r}\n  ours  {our.raw!r}", flush=True)
                return False
        return True


def failed_of(batch, redis, ours):
    """How many sequences of a batch show a difference; those of one protocol leave in one write."""
    failed = 0
    for protocol in (2, 3):
        together = [each for each in batch if each.protocol == protocol]
        data = b"".join(EMPTY + b"".join(step.data for step in each.steps) + MARK for each in together)
        # Beside the reading: a server whose replies are not read may read no more itself.
        senders = [threading.Thread(target=server.send, args=(data, protocol)) for server in (redis, ours)]
        for sender in senders:
            sender.start()
        replies = [(redis.take_until(MARK_REPLY, protocol), ours.take_until(MARK_REPLY, protocol)) for _ in together]
        for sender in senders:
            sender.join()
        for each, (theirs, our) in zip(together, replies):
            if found := each.difference(theirs, our):
                failed += 1
                each.report(found, redis, ours)
    for each in batch:
        if each.is_apart:
            failed += not each.run_apart(redis, ours)
    return failed


class Worker:
    """What one process has: connections to a database of its own."""

    redis = ours = settings = end = None

    @classmethod
    def begin(cls, options, databases, settings, end):
        number = databases.get()
        cls.redis, cls.ours = Server(options.redis, number), Server(options.ours, number)
        cls.settings, cls.end = settings, end


def family_of(name):
    return importlib.import_module(f"families.{name}")


def work(name, seeds, length):
    """Runs some sequences of a family; returns how many ran, and how many of them failed."""
    family = family_of(name)
    ran = failed = 0
    # The servers' settings are everybody's.
    with Worker.settings if getattr(family, "CHANGES_SETTINGS", False) else contextlib.nullcontext():
        for first in range(0, len(seeds), BATCH):
            if failed >= FAILED_MAX or time.monotonic() > Worker.end:
                break
            batch = [Sequence(family, seed, length) for seed in seeds[first:first + BATCH]]
            failed += failed_of(batch, Worker.redis, Worker.ours)
            ran += len(batch)
    return ran, failed


def chunks_of(options):
    """All families go on together: where the time ends, each has run about as much of its share."""
    counts = {name: options.count // getattr(family_of(name), "WEIGHT", 1) for name in options.families}
    for first in range(0, options.count, CHUNK):
        for name, count in counts.items():
            if first < count:
                yield name, range(options.seed + first, options.seed + min(first + CHUNK, count))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", type=int, required=True)
    parser.add_argument("--ours", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--processes", type=int, choices=range(1, 17), default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("families", nargs="+")
    options = parser.parse_args()
    print(f"{options.count} sequences from seed {options.seed} of each of {', '.join(options.families)}", flush=True)
    databases = multiprocessing.Queue()
    for number in range(options.processes):
        databases.put(number)
    ran, failed = collections.Counter(), 0
    end = time.monotonic() + options.seconds
    with concurrent.futures.ProcessPoolExecutor(
            options.processes, initializer=Worker.begin,
            initargs=(options, databases, multiprocessing.Lock(), end)) as pool:
        chunks = list(chunks_of(options))
        names, seeds = zip(*chunks)
        results = pool.map(work, names, seeds, [options.length] * len(chunks))
        for name, (ran_here, failed_here) in zip(names, results):
            ran[name] += ran_here
            failed += failed_here
    print(f"ran {dict(ran)}")
    print(f"{ran.total() - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
