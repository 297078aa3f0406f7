#!/usr/bin/env python3
"""Compares programs of the server by their starts, in turn: the time to the first reply, and the memory while idle.

usage: start.py [--rounds 9] [--idle 4] NAME="[VARIABLE=VALUE ...] PROGRAM [ARGUMENT ...]" ...

Prints the medians: milliseconds from the start of the process to the reply to a PING, milliseconds of processor time of
its threads until then; and, after the idle seconds, its resident memory, the same with its share of what others use too
(PSS), and its anonymous memory, in MB.
"""

import argparse
import contextlib
import os
import random
import signal
import socket
import statistics
import subprocess
import time
from pathlib import Path

POLL_SECONDS = 0.002
START_SECONDS_MAX = 60
MEMORY = {"Rss:": "rss", "Pss:": "pss", "Anonymous:": "anonymous"}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def processor_milliseconds(pid):
    nanoseconds = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # It has ended meanwhile.
            nanoseconds += int(thread.read_text().split()[0])
    return nanoseconds / 1e6


def await_reply(process, port):
    end = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < end and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(b"PING\r\n")
                if client.recv(16) == b"+PONG\r\n":
                    return
        except ConnectionRefusedError:
            time.sleep(POLL_SECONDS)
    raise SystemExit("no reply")


def measure(command, idle):
    words = command.split()
    environment = dict(os.environ)
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    port = free_port()
    start = time.monotonic()
    process = subprocess.Popen(
        [*words, "--port", str(port), "--maxmemory", "64mb"], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        await_reply(process, port)
        found = {"first": (time.monotonic() - start) * 1000, "processor": processor_milliseconds(process.pid)}
        time.sleep(idle)
        for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
            name, *rest = line.split()
            if name in MEMORY:
                found[MEMORY[name]] = int(rest[0]) / 1024
        return found
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--idle", type=float, default=4)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    programs = [one.split("=", 1) for one in arguments.programs]
    results = {name: [] for name, _ in programs}
    for _, command in programs:
        measure(command, 0)  # What it reads is in the system's memory then.
    for _ in range(arguments.rounds):
        for name, command in random.sample(programs, len(programs)):
            results[name].append(measure(command, arguments.idle))
    for name, found in results.items():
        medians = {key: statistics.median(one[key] for one in found) for key in found[0]}
        print(f"{name:12}", *(f"{key} {value:6.1f}" for key, value in medians.items()), sep="  ")


main()
