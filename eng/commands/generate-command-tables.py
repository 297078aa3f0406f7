#!/usr/bin/env python3
"""Writes the server's two tables from commands.json, the reference: CommandTable.json and AclCommandTable.tsv.

usage: generate-command-tables.py [--check]

CommandTable.json has the rows of the commands that this server executes, which supported-commands.txt lists, in the
order of that list, so that a change of the list is a readable difference. AclCommandTable.tsv has all commands of
Redis 7.0 with their categories: what a rule of ACL may name. With --check nothing is written, and the exit code is 1
if a table is not what would be written. Needs neither a Redis nor a package.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE / "../../src/Cache.Server/Commands/Table"

# Rules may name the commands of this version, and those that are executed.
RULES_VERSION = (7, 0)

# Our own commands have versions of this server, which are lower.
FIRST_VERSION = (1, 0)

# In the order in which Redis tells of a command's categories that its flags imply, after those of its own.
CATEGORIES = [
    "@keyspace", "@read", "@write", "@set", "@sortedset", "@list", "@hash", "@string", "@bitmap", "@hyperloglog",
    "@geo", "@stream", "@pubsub", "@admin", "@fast", "@slow", "@blocking", "@dangerous", "@connection",
    "@transaction", "@scripting"]


def read_reference():
    """The lines of the reference by name, as they are."""
    lines = (HERE / "commands.json").read_text().splitlines()[1:-1]
    return {json.loads(line.rstrip(","))["name"]: line.rstrip(",") for line in lines}


def read_names():
    for line in (HERE / "supported-commands.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            yield words[0]
            yield from (f"{words[0]}|{subcommand}" for subcommand in words[1:])


def make_tables():
    reference = read_reference()
    missing = [name for name in read_names() if name not in reference]
    if missing:
        sys.exit(f"no row in commands.json: {', '.join(missing)}")
    executed = ",\n".join(reference[name] for name in read_names())
    rules = []
    for name, line in reference.items():
        row = json.loads(line)
        since = tuple(int(part) for part in row["docs"]["since"].split(".")[:2])
        if FIRST_VERSION <= since <= RULES_VERSION:
            rules.append(f"{name}\t{' '.join(sorted(row['acl'], key=CATEGORIES.index))}\n")
    return {"CommandTable.json": f"[\n{executed}\n]\n", "AclCommandTable.tsv": "".join(rules)}


def main():
    tables = make_tables()
    if "--check" in sys.argv[1:]:
        differing = [name for name, text in tables.items() if (TABLES / name).read_text() != text]
        sys.exit(f"not as generated: {', '.join(differing)}" if differing else 0)
    for name, text in tables.items():
        (TABLES / name).write_text(text)


main()
