#!/usr/bin/env python3
"""Runs random sequences of commands against Redis and against our server; a difference in a reply or in what is left
fails, with the shortest sequence that shows it.

usage: generated.py --redis PORT --ours PORT [--count N] [--seed N] [--length N] FAMILY...

A family is a module of the folder families: what its commands are, and what may differ between replies. The seed is
printed; sequence number I of seed S is the same at any time: --seed S+I --count 1 runs it alone. Odd seeds run in RESP3.
"""

import argparse
import importlib
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "eng/commands"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import resp  # noqa: E402, of eng/commands


class Server:
    """One of the two servers, in both versions of the protocol."""

    def __init__(self, port):
        self._connections = {2: resp.Connection(port), 3: resp.Connection(port)}
        self._connections[3].call("HELLO", "3")

    def run(self, steps, protocol):
        """Sends all commands at once, behind a FLUSHALL, and reads their replies."""
        connection = self._connections[protocol]
        connection.send(b"".join(map(resp.encode, [[b"FLUSHALL"]] + [step.words for step in steps])))
        connection.read_reply()
        return [connection.read_reply() for _ in steps]


class Step:
    """A command, and the function that says whether two replies mean the same; None: byte for byte."""

    def __init__(self, *words, same=None):
        self.words = [word if isinstance(word, bytes) else str(word).encode("latin1") for word in words]
        self.same = same

    def agrees(self, theirs, ours):
        if theirs.raw == ours.raw:
            return True
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


def run(family, seed, length, redis, ours):
    """Whether the sequence of a seed shows no difference; prints the one it shows."""
    source = random.Random(seed)
    groups = [family.make(source, Step) for _ in range(source.randrange(1, length + 1))]
    ending = family.ending(Step)
    protocol = 3 if seed % 2 else 2
    if not difference(flat(groups) + ending, protocol, redis, ours):
        return True
    steps = flat(shrunk(groups, ending, protocol, redis, ours)) + ending
    step, theirs, our = difference(steps, protocol, redis, ours)
    print(f"seed {seed}, RESP{protocol}:")
    for each in steps:
        print(f"    {each}")
        if each is step:
            break
    print(f"  Redis {theirs!r}\n  ours  {our!r}")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", type=int, required=True)
    parser.add_argument("--ours", type=int, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("families", nargs="+")
    options = parser.parse_args()
    redis, ours = Server(options.redis), Server(options.ours)
    failed = 0
    for name in options.families:
        family = importlib.import_module(f"families.{name}")
        print(f"{name}: {options.count} sequences from seed {options.seed}", flush=True)
        for seed in range(options.seed, options.seed + options.count):
            failed += not run(family, seed, options.length, redis, ours)
            if failed >= 5:
                break
    total = options.count * len(options.families)
    print(f"{total - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
