#!/usr/bin/env python3
"""Ten staged faults, in each of which the right sentence must come first: that of CACHE DOCTOR, and that of
`cache analyze` for a package that is taken while the fault lasts.

usage: python3 tests/faults/doctor.py [NAME...]

Needs the stand-alone server and the tool, built in Release before; root, or a container with a small /dev/shm, for a disk that is
full; and a C compiler, which it installs on Debian, for a clock that can be set. Ends with "N passed, N failed".
"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from server import TOOL, Client, Server, encode
from staging import main

# The doctor's rates are means of a minute, and a busy machine starts the load late.
PATIENCE = 200
MEGABYTE = 1 << 20

# clock_gettime of the wall clock, less the seconds that a file says.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, now);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) {
        FILE *file = fopen(getenv("STAGED_CLOCK"), "r");
        long seconds = 0;
        if (file) {
            if (fscanf(file, "%ld", &seconds) == 1)
                now->tv_sec -= seconds;
            fclose(file);
        }
    }
    return result;
}
"""


class Load:
    """Runs a function again and again on a thread of its own, with a client of its own."""

    def __init__(self, port, turn):
        self.stopping = threading.Event()
        self.error = None
        self.thread = threading.Thread(target=self.run, args=(port, turn))
        self.thread.start()

    def run(self, port, turn):
        try:
            with Client(port) as client:
                while not self.stopping.is_set():
                    turn(client)
        except Exception as error:  # Told where the load ends.
            self.error = error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join(PATIENCE)


def diagnose(port, rule, *parts, offline=None):
    """Waits until the doctor's first sentence is that of the rule, and has the parts; so must that of a package.

    offline: the parts in its sentence, if a package has other names for them.
    """
    end = time.monotonic() + PATIENCE
    with Client(port) as client:
        while True:
            client.send("CACHE", "DOCTOR")
            findings = client.read_whole()
            first = [part.decode() for part in findings[0]] if findings else ["none", "none", "", ""]
            if first[1] == rule and all(part in first[2] for part in parts):
                analyze(client, rule, parts if offline is None else offline)
                return f"{first[0]}: {first[2]}"
            if time.monotonic() > end:
                raise AssertionError(f"not {rule} {parts} first: {findings}")
            time.sleep(0.5)


def analyze(client, rule, parts):
    """Takes a package and asks the tool about it, again if the fault was just between two samples."""
    end = time.monotonic() + PATIENCE
    while True:
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "package.zip")
            package.write_bytes(client.ask("CACHE", "PACKAGE", "KEYS", "PLAIN"))
            run = subprocess.run(["dotnet", str(TOOL), "analyze", str(package), "--json"], capture_output=True)
        assert run.returncode in (0, 2), run.stdout.decode() + run.stderr.decode()
        found = json.loads(run.stdout)
        first = found["findings"][0] if found["findings"] else {"rule": "none", "sentence": ""}
        if first["rule"] == rule and all(part in first["sentence"] for part in parts):
            assert run.returncode == (2 if first["severity"] == "critical" else 0), f"exit code {run.returncode}"
            return
        if time.monotonic() > end:
            raise AssertionError(f"offline not {rule} {parts} first: {found['findings']}")
        time.sleep(1)


@contextlib.contextmanager
def environment(**values):
    """Environment variables of the processes that are started meanwhile."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


def exchange(client, *requests):
    client.socket.sendall(b"".join(requests))
    return [client.read_whole() for _ in requests]


def hot_key():
    def turn(client):
        exchange(client, *[encode("GET", "user:1:profile")] * 20, encode("GET", f"user:{random.randrange(1000)}"))
        time.sleep(0.02)

    with Server() as server, Load(server.port, turn):
        return diagnose(server.port, "hot-key", "user:1:profile")


def big_key():
    def turn(client):
        exchange(client, encode("GET", "catalogue"), *[encode("GET", f"item:{i}") for i in range(4)])
        time.sleep(0.1)

    with Server() as server:
        with Client(server.port) as client:
            assert client.ask("SET", "catalogue", b"x" * (MEGABYTE // 2)) == b"+OK"
        with Load(server.port, turn):
            return diagnose(server.port, "heavy-key", "catalogue")


def eviction_storm():
    numbers = iter(range(1 << 40))

    def turn(client):
        exchange(client, *[encode("SET", f"report:{next(numbers)}", b"x" * 4096) for _ in range(20)])
        time.sleep(0.02)

    with Server("--maxmemory", "16mb") as server, Load(server.port, turn):
        return diagnose(server.port, "eviction-storm")


def slow_reader():
    with Server() as server, Client(server.port) as client:
        assert client.ask("SET", "report", b"x" * MEGABYTE) == b"+OK"
        assert client.ask("CLIENT", "SETNAME", "exporter") == b"+OK"
        client.socket.sendall(encode("GET", "report") * 40)
        return diagnose(server.port, "slow-reader", "'exporter'", offline=["'name-1'"])


def full_journal_disk():
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(small_disk())
        server = stack.enter_context(Server("--dir", folder, "--appendonly", "yes"))
        client = stack.enter_context(Client(server.port))
        filler = pathlib.Path(folder, "filler")
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(b"x" * MEGABYTE):
                pass
        for i in range(400):  # More than the files that are there already have room for.
            if client.ask("SET", f"key:{i}", random.randbytes(MEGABYTE)) != b"+OK":
                break
        return diagnose(server.port, "files")


@contextlib.contextmanager
def small_disk():
    """A folder on a disk of its own; or, where none can be mounted, on the small one that a container has in memory."""
    with tempfile.TemporaryDirectory() as folder:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "none", folder], capture_output=True)
        if mount.returncode == 0:
            try:
                yield folder
            finally:
                subprocess.run(["umount", "-l", folder], check=True)
            return
    memory = os.statvfs("/dev/shm")
    assert memory.f_bavail * memory.f_frsize <= 256 * MEGABYTE, "no disk can be filled here: run as root"
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        yield folder


def collections_of_the_host():
    # As a host that allocates much does: the runtime collects its garbage after each 64 KB.
    with environment(DOTNET_GCgen0size="0x10000"):
        server = Server()

    def turn(client):
        exchange(client, *[encode("CONFIG", "GET", "*")] * 10)

    with server, Load(server.port, turn):
        return diagnose(server.port, "gc")


def too_small_a_limit():
    dice = random.Random(1)
    value = b"x" * 400

    # A tenth of the reads goes to more pages than the limit holds. They were all written before, in a minute's storm.
    def turn(client):
        keys = [f"page:{dice.randrange(60_000 if dice.random() < 0.1 else 15_000)}" for _ in range(50)]
        missing = [key for key, found in zip(keys, exchange(client, *[encode("GET", key) for key in keys]))
                   if found == b"$-1"]
        if missing:
            exchange(client, *[encode("SET", key, value) for key in missing])
        time.sleep(0.05)

    with Server("--maxmemory", "16mb") as server:
        with Client(server.port) as client:
            for start in range(0, 60_000, 200):
                exchange(client, *[encode("SET", f"page:{i}", value) for i in range(start, start + 200)])
        with Load(server.port, turn):
            return diagnose(server.port, "limit", "twice as much")


def connection_leak():
    with Server("--maxclients", "40") as server, contextlib.ExitStack() as stack:
        for _ in range(38):
            assert stack.enter_context(Client(server.port)).ask("PING") == b"+PONG"
        watch = stack.enter_context(Client(server.port))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for _ in range(5):
                leaked = stack.enter_context(Client(server.port))
                with contextlib.suppress(OSError, EOFError):
                    leaked.ask("PING")
            watch.send("CACHE", "DOCTOR")
            findings = watch.read_whole()
            if findings and findings[0][1] == b"rejected-clients":
                analyze(watch, "rejected-clients", [])
                return f"{findings[0][0].decode()}: {findings[0][2].decode()}"
            time.sleep(0.5)
        raise AssertionError(f"not rejected-clients first: {findings}")


def slow_keys():
    def turn(client):
        client.ask("KEYS", "nothing*")
        time.sleep(0.2)

    with Server() as server:
        with Client(server.port) as client:
            for start in range(0, 300_000, 1000):
                words = [word for i in range(start, start + 1000) for word in (f"key:{i}", "1")]
                assert client.ask("MSET", *words) == b"+OK"
        with Load(server.port, turn):
            return diagnose(server.port, "slow-command", "KEYS took")


def clock_set_back():
    with tempfile.TemporaryDirectory() as folder:
        source, library, clock = (pathlib.Path(folder, name) for name in ("clock.c", "clock.so", "clock"))
        source.write_text(CLOCK)
        if not shutil.which("cc"):
            subprocess.run(["apt-get", "install", "-y", "-qq", "gcc", "libc6-dev"], check=True, capture_output=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
        with environment(LD_PRELOAD=str(library), STAGED_CLOCK=str(clock)):
            server = Server()
        with server:
            time.sleep(3)  # The server looks at both clocks once a second.
            written = clock.with_suffix(".next")
            written.write_text("3600")
            written.rename(clock)
            return diagnose(server.port, "clock", "set back by 3600 s")


FAULTS = [
    hot_key, big_key, eviction_storm, slow_reader, full_journal_disk, collections_of_the_host, too_small_a_limit,
    connection_leak, slow_keys, clock_set_back,
]


if __name__ == "__main__":
    # Its storm of writes has to be a minute old.
    sys.exit(main(FAULTS, beside=[too_small_a_limit]))
