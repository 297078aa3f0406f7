#!/usr/bin/env python3
"""How much of the resident memory CACHE MEMORY explains, in servers that are used in several ways.

usage: python3 tests/faults/memory.py [--long] [NAME...]

At most a tenth may be unexplained. --long takes 1 GB besides. Needs the stand-alone server, built in Release before;
and openssl, which it installs on Debian. Prints the kinds; ends with "N passed, N failed".
"""
import contextlib
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from server import Client, Server, encode, free_port
from staging import main

LONG = "--long" in sys.argv
MEGABYTE = 1 << 20
UNEXPLAINED_MAX = 0.10


def kinds_of(client):
    client.send("CACHE", "MEMORY")
    count = int(client.read()[1:])
    words = [client.read() for _ in range(count)]
    return {words[i].decode(): int(words[i + 1][1:]) for i in range(0, count, 2)}


def judge(client):
    time.sleep(1)  # What was queued for the pool ends.
    kinds = kinds_of(client)
    resident, unexplained = kinds["resident"], kinds["unexplained"]
    told = ", ".join(f"{name} {value / MEGABYTE:.1f}" for name, value in kinds.items() if abs(value) >= MEGABYTE // 20)
    share = unexplained / resident
    assert abs(share) <= UNEXPLAINED_MAX, f"{100 * share:.1f} % unexplained: {told}"
    return f"{100 * share:.1f} % of {resident / MEGABYTE:.0f} MB unexplained ({told})"


def fill(client, megabytes, length, exchange=64):
    """Writes one and a half times as much as fits, and reads the last."""
    value = b"x" * length
    count = megabytes * MEGABYTE * 3 // 2 // (length + 64)
    at_once = max(1, min(exchange, MEGABYTE // length))
    for start in range(0, count, at_once):
        numbers = range(start, min(count, start + at_once))
        client.socket.sendall(b"".join(encode("SET", f"key:{i}", value) for i in numbers))
        for _ in numbers:
            assert client.read() == b"+OK"
    for i in range(max(0, count - 1000), count):
        client.ask("GET", f"key:{i}")


def an_empty_server():
    with Server() as server, Client(server.port) as client:
        return judge(client)


def entries_of_200_bytes_in_64_mb():
    with Server("--maxmemory", "64mb") as server, Client(server.port) as client:
        fill(client, 64, 200)
        return judge(client)


def entries_of_1000_bytes_in_1_gb():
    with Server("--maxmemory", "1gb") as server, Client(server.port) as client:
        fill(client, 1024, 1000)
        return judge(client)


def large_values():
    with Server("--maxmemory", "128mb") as server, Client(server.port) as client:
        fill(client, 128, MEGABYTE)
        return judge(client)


def large_collections():
    with Server("--maxmemory", "128mb") as server, Client(server.port) as client:
        text = 100 * "x"
        for i in range(64):
            names = range(2000)
            client.ask("HSET", f"hash:{i}", *[word for n in names for word in (f"field:{n}", text)])
            client.ask("ZADD", f"sorted:{i}", *[word for n in names for word in (n % 97, f"member:{n}{text}")])
            client.ask("RPUSH", f"list:{i}", *[f"element:{n}{text}" for n in names])
            client.ask("HSET", f"long:{i}", *[word for n in range(4) for word in (f"field:{n}", 1000 * text)])
        return judge(client)


def tracked_keys():
    with Server("--maxmemory", "512mb") as server, Client(server.port) as client, Client(server.port) as reader:
        assert reader.ask("CLIENT", "TRACKING", "ON") == b"+OK"
        for start in range(0, 400_000, 100):
            reader.ask_whole("MGET", *[f"a-key-of-some-length:{n}" for n in range(start, start + 100)])
        return judge(client)


def subscribers_that_do_not_read():
    with Server("--maxmemory", "512mb") as server, Client(server.port) as client, contextlib.ExitStack() as stack:
        for i in range(8):
            slow = stack.enter_context(Client(server.port))
            slow.socket.sendall(encode("SUBSCRIBE", "all", f"own:{i}"))
        for i in range(8):
            for channel in ("all", f"own:{i}"):
                client.ask("PUBLISH", channel, b"x" * MEGABYTE)
        return judge(client)


def a_journal():
    with tempfile.TemporaryDirectory() as folder:
        with Server("--maxmemory", "64mb", "--dir", folder, "--appendonly", "yes") as server:
            with Client(server.port) as client:
                fill(client, 64, 1000)
                return judge(client)


def clients_that_do_not_read():
    with Server("--maxmemory", "256mb") as server, Client(server.port) as client, contextlib.ExitStack() as stack:
        fill(client, 8, 100_000)
        for _ in range(20):
            slow = stack.enter_context(Client(server.port))
            slow.socket.sendall(encode("GET", "key:1") * 40)
            half = stack.enter_context(Client(server.port))
            half.socket.sendall(b"*3\r\n$3\r\nSET\r\n$4\r\nhalf\r\n$2000000\r\n" + b"x" * MEGABYTE)
        return judge(client)


def clients_with_tls():
    if not shutil.which("openssl"):
        subprocess.run(["apt-get", "install", "-y", "-qq", "openssl"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        key, certificate = (str(pathlib.Path(folder, name)) for name in ("key.pem", "cert.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-keyout", key, "-out", certificate], check=True, capture_output=True)
        port = free_port()
        server = stack.enter_context(Server(
            "--maxmemory", "64mb", "--tls-port", str(port), "--tls-cert-file", certificate, "--tls-key-file", key,
            "--tls-auth-clients", "no"))
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False
        for i in range(200):
            plain = socket.create_connection(("127.0.0.1", port), 30)
            client = stack.enter_context(context.wrap_socket(plain, server_hostname="localhost"))
            for _ in range(10):
                client.sendall(encode("SET", f"key:{i}", b"x" * 1000))
                assert client.recv(100) == b"+OK\r\n"
        return judge(stack.enter_context(Client(server.port)))


FAULTS = [
    an_empty_server, entries_of_200_bytes_in_64_mb, large_values, large_collections, a_journal,
    clients_that_do_not_read, subscribers_that_do_not_read, tracked_keys, clients_with_tls,
]

if __name__ == "__main__":
    sys.exit(main(FAULTS + ([entries_of_1000_bytes_in_1_gb] if LONG else [])))
