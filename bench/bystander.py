#!/usr/bin/env python3
"""Measures GETs of one client beside others that read a million elements each, again and again, on both servers.

usage: bystander.py SERVER [--seconds 12] [--readers 2]

SERVER is the command `cache` of a Release build (src/Cache.Tool/bin/Release/net10.0/Cache.Tool). Needs redis-server.
Each server gets a set, a hash and a sorted set of a million elements. Prints the latencies of a GET each millisecond,
alone and beside readers of all elements of the set and of the hash, and of the sorted set if there are more.
"""
import argparse
import multiprocessing
import socket
import time

import pair

ELEMENTS, BATCH = 1_000_000, 1_000
VALUE = "v" * 100
LONG_REPLIES = [("SMEMBERS", "set"), ("HGETALL", "hash"), ("ZRANGE", "zset", "0", "-1")]
QUIET_SECONDS = 1.5  # After which a reply is at its end, when its length is not known yet.
WARM_UP_SECONDS = 8
ROOM = 1 << 20


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, count, room):
    while count > 0:
        count -= connection.recv_into(room)


def fill(server):
    server.send([("SET", "k", VALUE)])
    for first in range(0, ELEMENTS, BATCH):
        numbers = range(first, first + BATCH)
        server.send([
            ("SADD", "set", *[f"element:{i:08d}" for i in numbers]),
            ("HSET", "hash", *[word for i in numbers for word in (f"field:{i:08d}", "v" * 20)]),
            ("ZADD", "zset", *[word for i in numbers for word in (str(i * 7919 % 1000003), f"member:{i:08d}")])])


def read_long(port, number, count):
    connection, room = connect(port), bytearray(ROOM)
    command = pair.encode(*LONG_REPLIES[number % len(LONG_REPLIES)])
    connection.sendall(command)
    connection.settimeout(QUIET_SECONDS)
    length = 0
    try:
        while True:
            length += connection.recv_into(room)
    except TimeoutError:
        connection.settimeout(None)
    while True:
        connection.sendall(command)
        receive(connection, length, room)
        with count.get_lock():
            count.value += 1


def measure(server, name, count, seconds):
    connection, room = connect(server.port), bytearray(ROOM)
    command, length = pair.encode("GET", "k"), len(f"${len(VALUE)}\r\n{VALUE}\r\n")
    before, latencies = count.value, []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        connection.sendall(command)
        receive(connection, length, room)
        latencies.append((time.perf_counter() - start) * 1_000)
        time.sleep(0.001)
    latencies.sort()
    parts = ", ".join(f"p{100 * part:g} {latencies[int(len(latencies) * part)]:.2f} ms" for part in (0.5, 0.99, 0.999))
    print(f"{server.name}, {name}: {len(latencies)} GETs, {parts}, longest {latencies[-1]:.2f} ms; "
          f"{count.value - before} long replies", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--readers", type=int, default=2)
    options = parser.parse_args()
    with pair.both(options.server) as servers:
        for server in servers:
            fill(server)
            count = multiprocessing.Value("i", 0)
            measure(server, "alone", count, options.seconds)
            readers = [multiprocessing.Process(target=read_long, args=(server.port, number, count), daemon=True)
                       for number in range(options.readers)]
            for reader in readers:
                reader.start()
            time.sleep(WARM_UP_SECONDS)
            measure(server, "beside", count, options.seconds)
            for reader in readers:
                reader.terminate()


if __name__ == "__main__":
    main()
