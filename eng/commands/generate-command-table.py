#!/usr/bin/env python3
"""Writes src/Cache.Server/Commands/Table/CommandTable.json: what Redis says of the commands that this server knows.

usage: generate-command-table.py PORT      (a redis-server 7.0.15 listens on 127.0.0.1:PORT)

Reads supported-commands.txt beside this script, asks COMMAND INFO and COMMAND DOCS, and adds the two subcommands that
clients of our days send and Redis 7.0 does not have (stated below as in Redis 7.2). One command per line, in the order
of the list, so that a change of the list is a readable difference. Needs Python's standard library alone.
"""
import json
import pathlib
import socket
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / "../../src/Cache.Server/Commands/Table/CommandTable.json"

# Of Redis 7.2.
LATER = {
    "client|setinfo": {
        "name": "client|setinfo", "arity": 4, "flags": ["noscript", "loading", "stale"], "keys": [0, 0, 0],
        "acl": ["@slow", "@connection"], "tips": ["request_policy:all_nodes", "response_policy:all_succeeded"],
        "keySpecs": [], "docs": {
            "summary": "Set client or connection specific info", "since": "7.2.0", "group": "connection",
            "complexity": "O(1)", "arguments": [
                {"name": "attr", "type": "oneof", "arguments": [
                    {"name": "libname", "type": "string", "token": "LIB-NAME"},
                    {"name": "libver", "type": "string", "token": "LIB-VER"}]}]}},
    "client|no-touch": {
        "name": "client|no-touch", "arity": 3, "flags": ["noscript", "loading", "stale"], "keys": [0, 0, 0],
        "acl": ["@slow", "@connection"], "tips": [], "keySpecs": [], "docs": {
            "summary": "Controls whether commands sent by the client will alter the LRU/LFU of the keys they access.",
            "since": "7.2.0", "group": "connection", "complexity": "O(1)", "arguments": [
                {"name": "enabled", "type": "oneof", "arguments": [
                    {"name": "on", "type": "pure-token", "token": "ON"},
                    {"name": "off", "type": "pure-token", "token": "OFF"}]}]}},
}


class Connection:
    """A client of RESP3, which tells maps from arrays."""

    def __init__(self, port):
        self._file = socket.create_connection(("127.0.0.1", port)).makefile("rwb")
        self.call("HELLO", "3")

    def call(self, *words):
        frames = [b"*%d\r\n" % len(words)]
        frames += [b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words]
        self._file.write(b"".join(frames))
        self._file.flush()
        return self._read()

    def _read(self):
        line = self._file.readline()
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b"$":
            return self._file.read(int(rest) + 2)[:-2].decode()
        if kind in b"*~":
            return [self._read() for _ in range(int(rest))]
        if kind == b"%":
            return dict([(self._read(), self._read()) for _ in range(int(rest))])
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest
        if kind == b"_":
            return None
        raise ValueError(line)


def read_names():
    for line in (HERE / "supported-commands.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words[0], [f"{words[0]}|{sub}" for sub in words[1:]]


def describe(redis, name):
    if name in LATER:
        return LATER[name]
    info = redis.call("COMMAND", "INFO", name)[0]
    docs = redis.call("COMMAND", "DOCS", name)
    docs[name].pop("subcommands", None)
    return {
        "name": info[0], "arity": info[1], "flags": info[2], "keys": info[3:6], "acl": info[6], "tips": info[7],
        "keySpecs": info[8], "docs": docs[name]}


def main():
    redis = Connection(int(sys.argv[1]))
    lines = []
    for name, subcommands in read_names():
        for each in [name, *subcommands]:
            lines.append(json.dumps(describe(redis, each), separators=(",", ":"), ensure_ascii=True))
    TARGET.write_text("[\n" + ",\n".join(lines) + "\n]\n")


main()
