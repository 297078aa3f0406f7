#!/usr/bin/env python3
"""What the server measures of itself, beside what was really asked of it; the server is built in Release before.

usage: python3 tests/faults/measuring.py [--long] [NAME...]

--long takes the full numbers (10,000 slow commands, 2,000,000 reads). Ends with "N passed, N failed".
"""
import bisect
import itertools
import random
import sys
import threading

from server import Client, Server, encode
from staging import main

LONG = "--long" in sys.argv
SLOW_COMMANDS = 10_000 if LONG else 500
SLOW_CLIENTS = 50
SLOW_SECONDS = 0.02
READS = 2_000_000 if LONG else 300_000
KEYS = 1_000_000
SKEW = 0.9
READS_AT_ONCE = 500
TOP = 10

# Of 4,700 samples the tenth and the eleventh key have nearly as many; of 31,000 they differ.
TOP_FOUND_MIN = 9 if LONG else 7


def slow_commands_are_in_the_log():
    """Each sleeps for another time, so that each is known again: all of them are there, none shorter than it was."""
    asked = [round(SLOW_SECONDS + number / 1e9, 9) for number in range(SLOW_COMMANDS)]
    with Server("--enable-debug-command", "yes", "--slowlog-max-len", str(SLOW_COMMANDS + 1)) as server:
        def run(client_number):
            with Client(server.port) as client:
                for seconds in asked[client_number::SLOW_CLIENTS]:
                    assert client.ask("DEBUG", "SLEEP", f"{seconds:.9f}") == b"+OK"

        clients = [threading.Thread(target=run, args=(number,)) for number in range(SLOW_CLIENTS)]
        for thread in clients:
            thread.start()
        for thread in clients:
            thread.join()
        with Client(server.port) as client:
            rows = client.ask_whole("SLOWLOG", "GET", "-1")
    seen = {float(row[3][2]): int(row[2][1:]) for row in rows if row[3][:2] == [b"DEBUG", b"SLEEP"]}
    missing = set(asked) - set(seen)
    short = [seconds for seconds, microseconds in seen.items() if microseconds + 1 < seconds * 1e6]
    assert not missing and not short, f"missing: {sorted(missing)[:3]}, too short: {short[:3]}"
    return f"{len(seen)} of {SLOW_COMMANDS} commands of {SLOW_SECONDS * 1e3:.0f} ms"


def hottest_keys_are_found():
    """Reads by Zipf's law: nearly all of the ten keys that were really read most are among the first ten reported."""
    seed = random.randrange(1 << 31)
    dice = random.Random(seed)
    bounds = list(itertools.accumulate((rank + 1) ** -SKEW for rank in range(KEYS)))
    counts = {}
    with Server("--maxmemory", "64mb") as server, Client(server.port) as client:
        for _ in range(READS // READS_AT_ONCE):
            ranks = [bisect.bisect(bounds, dice.random() * bounds[-1]) for _ in range(READS_AT_ONCE)]
            for rank in ranks:
                counts[rank] = counts.get(rank, 0) + 1
            client.socket.sendall(b"".join(encode("GET", f"key:{rank}") for rank in ranks))
            for _ in ranks:
                client.read()
        rows = client.ask_whole("HOTKEYS", "GET", "COUNT", TOP)
    reported = [row[row.index(b"key") + 1] for row in rows]
    hottest = {b"key:%d" % rank for rank in sorted(counts, key=counts.get, reverse=True)[:TOP]}
    found = len(hottest & set(reported))
    assert found >= TOP_FOUND_MIN, f"{found} of {TOP} with seed {seed}: {reported}, really {sorted(hottest)}"
    return f"{found} of {TOP} of {READS} reads of {KEYS} keys"


CHECKS = [slow_commands_are_in_the_log, hottest_keys_are_found]


if __name__ == "__main__":
    sys.exit(main(CHECKS))
