#!/usr/bin/env python3
"""Faults of the world outside, against the stand-alone server, built in Release before.

usage: python3 tests/faults/run.py [--long] [NAME...]

--long takes the full numbers (10,000 idle connections, a minute of load). Ends with "N passed, N failed".
"""
import contextlib
import random
import resource
import socket
import sys
import threading
import time

from server import PATIENCE, Client, Container, Server, encode, free_port
from staging import main

LONG = "--long" in sys.argv
IDLE = 10_000 if LONG else 3_000
LOAD_SECONDS = 60 if LONG else 2
MEGABYTE = 1 << 20


class Load:
    """Clients that write and read back; each notes what it was answered, and how its connection ended."""

    def __init__(self, port, clients=8):
        self.port = port
        self.answered = 0
        self.wrong = []
        self.ends = 0
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        key = f"load:{number}"
        turn = 0
        while not self.stopping.is_set():
            try:
                with Client(self.port) as client:
                    while not self.stopping.is_set():
                        turn += 1
                        client.socket.sendall(encode("SET", key, turn) + encode("GET", key))
                        written, seen = client.read(), client.read()
                        if (written, seen) != (b"+OK", b"%d" % turn):
                            self.wrong.append((written, seen, turn))
                        self.answered += 2
            except EOFError as end:
                # A reply is whole or not there at all.
                if end.args[0]:
                    self.wrong.append(("a part of a reply", end.args[0]))
                self.ends += 1
            except OSError:
                self.ends += 1
                time.sleep(0.01)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a request was neither answered nor its connection closed"
        assert not self.wrong, self.wrong[:3]


def killed_and_started_again_under_load():
    port = free_port()
    first = Server(port=port)
    with first:
        load = Load(port)
        time.sleep(LOAD_SECONDS)
        before = load.answered
        first.kill()
    start = time.monotonic()
    with Server(port=port):
        seconds = time.monotonic() - start
        time.sleep(1)
        load.stop()
    assert before > 0 and load.answered > before, "nothing was answered before or after"
    assert load.ends >= 8, "a connection outlived its server"
    return f"answers again after {seconds:.1f} s"


def port_taken():
    with Server() as server, Server(port=server.port, wait=False) as second:
        code = second.process.wait(PATIENCE)
        assert code == 1, f"exit code {code}"
        assert str(server.port) in second.text(), second.text()
        with Client(server.port) as client:
            assert client.ask("PING") == b"+PONG"
    return "exit code 1, and the port is named"


def descriptors_run_out():
    with Server() as server, contextlib.ExitStack() as stack:
        pid = server.process.pid
        early = stack.enter_context(Client(server.port))
        assert early.ask("PING") == b"+PONG"
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (server.descriptors() + 5, limits[1]))
        waiting = [stack.enter_context(Client(server.port)) for _ in range(40)]
        for client in waiting:
            client.send("PING")
        before = server.processor_seconds()
        time.sleep(2)
        spent = server.processor_seconds() - before
        assert spent < 1, f"accepting in vain took {spent} s of the processor in 2 s"
        assert early.ask("PING") == b"+PONG", "a client that was there is no longer served"
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        answered = sum(1 for client in waiting if is_answered(client))
        with Client(server.port) as late:
            assert late.ask("PING") == b"+PONG"
    assert answered == 40, f"{answered} of 40 were served in the end"
    return f"all 40 served in the end; {spent:.2f} s of the processor in 2 s of vain attempts"


def is_answered(client):
    try:
        return client.read() == b"+PONG"
    except (EOFError, ConnectionResetError):
        return False


def memory_of_the_container_limited():
    bytes_max = 400 * MEGABYTE
    with Container(bytes_max) as container, container.start_server() as server, Client(server.port) as client:
        client.send("CONFIG", "GET", "maxmemory")
        assert [client.read() for _ in range(3)][1:] == [b"maxmemory", b"%d" % (bytes_max // 4)], "not a quarter"
        value = b"x" * MEGABYTE
        for i in range(800):
            assert client.ask("SET", f"key:{i}", value) == b"+OK"
        resident = server.resident_bytes()
        assert client.ask("GET", "key:799") == value
    assert resident < bytes_max, f"{resident >> 20} MB are resident"
    return f"800 MB written in {bytes_max >> 20} MB ({container.kind}): {resident >> 20} MB resident"


def idle_slow_and_half_open():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with Server("--maxclients", "20000", "--tcp-backlog", "4096") as server, contextlib.ExitStack() as stack:
        with Client(server.port) as client:
            client.ask("SET", "large", b"x" * MEGABYTE)
        before = server.resident_bytes()
        idle = []
        for _ in range(IDLE):
            idle.append(stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE)))
        for _ in range(100):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            half.sendall(b"*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$1000000\r\nabc")
        for _ in range(100):
            slow = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            slow.sendall(encode("GET", "large") * 3)
        with Client(server.port) as client:
            times = []
            for _ in range(500):
                start = time.monotonic()
                assert client.ask("GET", "absent") == b"$-1"
                times.append(time.monotonic() - start)
        grown = server.resident_bytes() - before
        worst = sorted(times)[-5] * 1000
        assert worst < 250, f"99 of 100 requests took up to {worst:.0f} ms"
        assert grown < (400 << 20), f"{grown >> 20} MB more"
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return f"{IDLE} idle, 100 half-open, 100 slow: p99 {worst:.1f} ms, {grown >> 20} MB more"


def pipelined_and_never_read():
    with Server("--client-output-timeout", "2", "--maxmemory", "256mb") as server, Client(server.port) as other:
        assert other.ask("SET", "large", b"x" * MEGABYTE) == b"+OK"
        before = server.resident_bytes()
        greedy = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        greedy.sendall(encode("GET", "large") * 500)
        grown = 0
        end = time.monotonic() + PATIENCE
        was_served = is_there = False
        while time.monotonic() < end and (is_there or not was_served):
            is_there = b" cmd=get " in other.ask("CLIENT", "LIST")
            was_served |= is_there
            grown = max(grown, server.resident_bytes() - before)
            time.sleep(0.01)
        assert was_served and not is_there, f"served: {was_served}, still there: {is_there}"
        assert grown < 64 * MEGABYTE, f"{grown >> 20} MB were held for it"
        greedy.close()
    return f"at most {grown / MEGABYTE:.1f} MB held, disconnected in time"


def stopped_under_load():
    with Server("--shutdown-timeout", "3") as server:
        load = Load(server.port)
        time.sleep(LOAD_SECONDS)
        before = load.answered
        code, seconds = server.stop()
        load.stop()
    assert before > 0, "nothing was answered"
    assert code == 0, f"exit code {code}"
    assert seconds < 3 + 5, f"{seconds:.1f} s"
    return f"exit code 0 after {seconds:.1f} s, no reply cut"


def disk_full_for_the_log():
    with open("/dev/full", "wb") as full, Server("--loglevel", "debug", stdout=full) as server:
        for i in range(50):
            with Client(server.port) as client:
                assert client.ask("SET", "key", i) == b"+OK"
        code, _ = server.stop()
    assert code == 0, f"exit code {code}"
    return "50 connections, each logged in vain, served; exit code 0"


class Hostile:
    """Clients that write values of 64 bytes to 8 MB, drifting through them, read few, and often leave in the middle."""

    SIZES = [64 << i for i in range(18)]

    def __init__(self, port, clients=16):
        self.port = port
        self.written = 0
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self, number):
        dice = random.Random(number)
        payload = b"x" * self.SIZES[-1]
        while not self.stopping.is_set():
            try:
                with Client(self.port) as client:
                    self.converse(client, number, dice, payload)
            except (EOFError, OSError):
                pass  # It was disconnected for what it holds, as it should be.

    def converse(self, client, number, dice, payload):
        at = dice.randrange(len(self.SIZES))
        while not self.stopping.is_set():
            at = (at + dice.choice((-1, 0, 1))) % len(self.SIZES)
            size = dice.randrange(self.SIZES[at] // 2, self.SIZES[at] + 1)
            count = max(1, min(100, (1 << 20) // size))
            for _ in range(count):
                client.send("SET", f"key:{number % 4}:{dice.randrange(100_000)}", payload[:size])
            if dice.randrange(50) == 0:
                # Half a value, then some that nobody reads.
                client.socket.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$8000000\r\n" + payload[:4_000_000])
                return
            for _ in range(count):
                if client.read() == b"+OK":
                    self.written += size
            if dice.randrange(50) == 0:
                client.socket.sendall(encode("GET", f"key:{number % 4}:{dice.randrange(100_000)}") * 200)
                return

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a client waits for ever"


def resident_memory():
    notes = []
    for limit, clients in ((64, 32), (256, 64)):
        with Server("--maxmemory", f"{limit}mb", "--maxmemory-clients", f"{clients}mb") as server:
            # The process's own: compiled code, stacks of threads, and what a small load leaves.
            load = Load(server.port, clients=16)
            time.sleep(1)
            load.stop()
            base = server.resident_bytes()
            hostile = Hostile(server.port)
            most = 0
            start = time.monotonic()
            least, longest = (LOAD_SECONDS, 2 * LOAD_SECONDS) if LONG else (3, PATIENCE)
            while (seconds := time.monotonic() - start) < longest:
                if seconds >= least and hostile.written > 2 * limit * MEGABYTE:
                    break
                most = max(most, server.resident_bytes() - base)
                time.sleep(0.005)
            hostile.stop()
            with Client(server.port) as client:
                assert client.ask("PING") == b"+PONG"
            allowed = int(limit * MEGABYTE * 1.15) + clients * MEGABYTE
            note = f"{most >> 20} of {allowed >> 20} MB at {limit} MB, {hostile.written >> 20} MB written"
            assert hostile.written > 2 * limit * MEGABYTE, f"the load was too small: {note}"
            assert most <= allowed, note
            notes.append(note)
    return "; ".join(notes)


FAULTS = [
    killed_and_started_again_under_load, port_taken, descriptors_run_out, memory_of_the_container_limited, idle_slow_and_half_open,
    pipelined_and_never_read, resident_memory, stopped_under_load, disk_full_for_the_log,
]


if __name__ == "__main__":
    sys.exit(main(FAULTS))
