#!/usr/bin/env python3
"""Measures GETs of one client of a Redis-protocol server while others read a million elements each, again and again.

usage: bystander.py PORT [SECONDS] [READERS]        12 seconds; 2 readers

Empties the server on that port, and fills it with a set, a hash and a sorted set of a million elements. Prints the
latencies of a GET each millisecond, alone and beside the readers.
"""
import multiprocessing
import socket
import sys
import time

PORT = int(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 12
READERS = int(sys.argv[3]) if len(sys.argv) > 3 else 2
ELEMENTS, BATCH = 1_000_000, 1_000
VALUE = "v" * 100
LONG_REPLIES = [("SMEMBERS", "set"), ("HGETALL", "hash"), ("ZRANGE", "zset", "0", "-1")]
QUIET_SECONDS = 1.5  # After which a reply is at its end, when its length is not known yet.
WARM_UP_SECONDS = 8


def request(*words):
    return f"*{len(words)}\r\n".encode() + b"".join(f"${len(word)}\r\n{word}\r\n".encode() for word in words)


def connect():
    connection = socket.create_connection(("127.0.0.1", PORT))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, count, room):
    while count > 0:
        count -= connection.recv_into(room)


def fill():
    connection = connect()
    lines = connection.makefile("rb")

    def send(*words):
        connection.sendall(request(*words))
        lines.readline()

    send("FLUSHALL")
    send("SET", "k", VALUE)
    for first in range(0, ELEMENTS, BATCH):
        numbers = range(first, first + BATCH)
        send("SADD", "set", *[f"element:{i:08d}" for i in numbers])
        send("HSET", "hash", *[word for i in numbers for word in (f"field:{i:08d}", "v" * 20)])
        send("ZADD", "zset", *[word for i in numbers for word in (str(i * 7919 % 1000003), f"member:{i:08d}")])


def read_long(number, count):
    connection, room = connect(), bytearray(1 << 20)
    command = request(*LONG_REPLIES[number % len(LONG_REPLIES)])
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


def measure(name, count):
    connection, room = connect(), bytearray(4096)
    command, length = request("GET", "k"), len(f"${len(VALUE)}\r\n{VALUE}\r\n")
    before, latencies = count.value, []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        connection.sendall(command)
        receive(connection, length, room)
        latencies.append((time.perf_counter() - start) * 1_000)
        time.sleep(0.001)
    latencies.sort()
    parts = ", ".join(f"p{100 * part:g} {latencies[int(len(latencies) * part)]:.2f} ms" for part in (0.5, 0.99, 0.999))
    print(f"{name}: {len(latencies)} GETs, {parts}, longest {latencies[-1]:.2f} ms; "
          f"{count.value - before} long replies", flush=True)


def main():
    fill()
    count = multiprocessing.Value("i", 0)
    measure("alone", count)
    for number in range(READERS):
        multiprocessing.Process(target=read_long, args=(number, count), daemon=True).start()
    time.sleep(WARM_UP_SECONDS)
    measure("beside", count)


if __name__ == "__main__":
    main()
