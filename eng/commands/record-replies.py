#!/usr/bin/env python3
"""Writes the replies of a Redis server behind the requests of tests/Cache.Server.Tests/Commands/Recorded/*.tsv.

usage: record-replies.py PORT      (a redis-server 7.0.15 that may be flushed listens on 127.0.0.1:PORT)

A line is a request, a tab, and the reply in RESP2; a second tab and the reply in RESP3 where it is another one. Each
paragraph begins with an empty server; a line with # is a comment. Words of a request are separated by blanks; '' is an
empty word; \\xHH is a byte, \\\\ a backslash. Needs Python's standard library alone.
"""
import pathlib
import re
import sys

import resp

FOLDER = pathlib.Path(__file__).resolve().parent / "../../tests/Cache.Server.Tests/Commands/Recorded"


def unescape(text):
    if text == "''":
        return b""
    out = re.sub(r"\\(x[0-9a-f]{2}|\\)", lambda m: m[1] if m[1] == "\\" else chr(int(m[1][1:], 16)), text)
    return out.encode("latin1")


def escape(reply):
    names = {0x0D: "\\r", 0x0A: "\\n", 0x5C: "\\\\"}
    return "".join(names.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\x{b:02x}") for b in reply)


def call(connection, *words):
    connection.send(resp.encode(words))
    return connection.read_reply().raw


def record(path, port):
    connections = [resp.Connection(port), resp.Connection(port)]
    connections[1].call("HELLO", "3")
    paragraphs = path.read_text().rstrip("\n").split("\n\n")
    recorded = []
    for paragraph in paragraphs:
        lines = paragraph.split("\n")
        requests = [line.split("\t")[0] for line in lines]
        columns = []
        for connection in connections:
            call(connection, b"SELECT", b"0")
            call(connection, b"FLUSHALL")
            columns.append([
                None if request.startswith("#") else
                escape(call(connection, *map(unescape, request.split(" ")))) for request in requests])
        for request, second, third in zip(requests, *columns):
            replies = [] if second is None else [second] if second == third else [second, third]
            recorded.append("\t".join([request, *replies]))
        recorded.append("")
    path.write_text("\n".join(recorded).rstrip("\n") + "\n")


for each in sorted(FOLDER.glob("*.tsv")):
    record(each, int(sys.argv[1]))
