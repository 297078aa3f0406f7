#!/usr/bin/env python3
"""Writes commands.json: what Redis says of all its commands and subcommands.

usage: record-commands.py PORT      (a redis-server 7.0.15 listens on 127.0.0.1:PORT)

The reference from which generate-command-tables.py makes what the server embeds. One command per line, in the order of
names, with the elements of COMMAND INFO and of COMMAND DOCS. Rows of a later Redis, told by their "since", are written
by hand, and stay as they are. Needs Python's standard library alone.
"""
import json
import pathlib
import sys

import resp

TARGET = pathlib.Path(__file__).resolve().parent / "commands.json"


def version(text):
    return [int(part) for part in text.split(".")]


def describe(redis, name):
    info = redis.call("COMMAND", "INFO", name)[0]
    docs = redis.call("COMMAND", "DOCS", name)[name]
    docs.pop("subcommands", None)
    return {
        "name": info[0], "arity": info[1], "flags": info[2], "keys": info[3:6], "acl": info[6], "tips": info[7],
        "keySpecs": info[8], "docs": docs}


def main():
    redis = resp.Connection(int(sys.argv[1]))
    redis.call("HELLO", "3")
    lines = redis.call("INFO", "server").split("\r\n")
    recorded = next(line for line in lines if line.startswith("redis_version:")).partition(":")[2]
    known = json.loads(TARGET.read_text()) if TARGET.exists() else []
    later = [row for row in known if version(row["docs"]["since"]) > version(recorded)]
    rows = sorted(later + [describe(redis, name) for name in redis.call("COMMAND", "LIST")], key=lambda row: row["name"])
    lines = [json.dumps(row, separators=(",", ":"), ensure_ascii=True) for row in rows]
    TARGET.write_text("[\n" + ",\n".join(lines) + "\n]\n")


main()
