#!/usr/bin/env python3
"""Runs the same sessions against Redis and against our server; every difference in a reply fails.

usage: differ.py --redis PORT --ours PORT SESSION...

A session is a text file, one step a line, run on fresh connections to empty servers, once in RESP2 and once in RESP3:

    SET key "a\\r\\nb"        a command; the reply is compared byte for byte
    SET k v {NX|XX|} {GET|}  each choice of the alternatives in turn, as a step of its own
    @TAG COMMAND ...         compared after a normalisation, see below
    [name] COMMAND ...       on another connection, which is opened when it is named first
    !inline text             a request typed as a line; escapes as above
    !raw N bytes             bytes as they are; N replies are read
    !pipeline N              the next N commands leave in one write
    !none COMMAND ...        a command that has no reply
    !end bytes               bytes after which the server closes the connection; all that it sends until then
    !resp2                   the rest of the session runs in RESP2 only, for example because it changes the version
    !wait MS                 lets time pass, for an expiry
    !blocked N               waits until so many clients are blocked, on each server
    !read N                  compares the next N replies of a connection, which waited for them
    # text                   a comment
"""

import argparse
import itertools
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "eng/commands"))

import resp  # noqa: E402, of eng/commands
from normalise import NORMALISATIONS


# On a loaded machine.
BLOCKED_SECONDS_MAX = 30


class Server:
    """One of the two servers, with the session's connections to it."""

    def __init__(self, port):
        self._port = port
        self._connections = {}

    def connection(self, name, protocol):
        if name not in self._connections:
            made = self._connections[name] = resp.Connection(self._port)
            if protocol == 3:
                made.send(resp.encode([b"HELLO", b"3"]))
                made.read_reply()
        return self._connections[name]

    def await_blocked(self, count):
        """Replies to other clients leave in any order, so the next step waits until this one has had its effect."""
        control = resp.Connection(self._port)
        end = time.monotonic() + BLOCKED_SECONDS_MAX
        while True:
            control.send(resp.encode([b"INFO", b"clients"]))
            if f"\r\nblocked_clients:{count}\r\n".encode() in control.read_reply().raw:
                break
            if time.monotonic() > end:
                raise TimeoutError(f"not {count} clients are blocked")
            time.sleep(0.001)
        control.close()

    def reset(self):
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        control = resp.Connection(self._port)
        control.send(resp.encode([b"FLUSHALL"]))
        control.read_reply()
        control.close()


class Session:
    """The run of one file in one version of the protocol."""

    def __init__(self, path, protocol, servers):
        self._path = path
        self._protocol = protocol
        self._servers = servers
        self._unsent = 0
        self._pipeline = []
        self.passed = 0
        self.failed = 0

    def run(self):
        for server in self._servers:
            server.reset()
        for number, line in enumerate(self._path.read_text().splitlines(), 1):
            line = line.strip()
            if line == "!resp2":
                if self._protocol == 3:
                    return
            elif line and not line.startswith("#"):
                for step in expand(line):
                    self._step(number, step)

    def _step(self, number, step):
        tag, name = None, "main"
        if match := re.match(r"\[(\w+)\] ", step):
            name, step = match[1], step[match.end():]
        if match := re.match(r"@(\w+) ", step):
            tag, step = match[1], step[match.end():]
        verb, _, rest = step.partition(" ")
        if verb == "!wait":
            time.sleep(int(rest) / 1000)
        elif verb == "!blocked":
            for server in self._servers:
                server.await_blocked(int(rest))
        elif verb == "!read":
            self._compare(number, step, name, tag, int(rest))
        elif verb == "!pipeline":
            self._unsent = int(rest)
        elif verb == "!none":
            self._send(name, resp.encode(resp.split_words(rest)))
        elif verb == "!inline":
            self._exchange(number, step, name, tag, resp.unescape(rest) + b"\r\n", 1)
        elif verb == "!raw":
            count, _, data = rest.partition(" ")
            self._exchange(number, step, name, tag, b"".join(resp.split_words(data)), int(count))
        elif verb == "!end":
            self._exchange(number, step, name, tag, b"".join(resp.split_words(rest)), None)
        elif self._unsent:
            self._collect(number, step, name, tag)
        else:
            self._exchange(number, step, name, tag, resp.encode(resp.split_words(step)), 1)

    def _collect(self, number, step, name, tag):
        self._pipeline.append((number, step, tag))
        self._unsent -= 1
        if self._unsent:
            return
        self._send(name, b"".join(resp.encode(resp.split_words(step)) for _, step, _ in self._pipeline))
        for number, step, tag in self._pipeline:
            self._compare(number, step, name, tag, 1)
        self._pipeline = []

    def _exchange(self, number, step, name, tag, data, replies):
        self._send(name, data)
        if replies == 0:
            return
        self._compare(number, step, name, tag, replies)

    def _send(self, name, data):
        for server in self._servers:
            try:
                server.connection(name, self._protocol).send(data)
            except OSError:
                pass  # The read that follows says that the connection is closed.

    def _compare(self, number, step, name, tag, replies):
        theirs, ours = (self._read(server.connection(name, self._protocol), replies) for server in self._servers)
        if are_equal(theirs, ours, tag):
            self.passed += 1
            return
        self.failed += 1
        print(f"{self._path.name}:{number} (RESP{self._protocol}) {excerpt(step, 0)}")
        texts = [show(theirs), show(ours)]
        at = next((i for i, (one, other) in enumerate(zip(*texts)) if one != other), 0)
        print(f"    Redis: {excerpt(texts[0], at)}\n    ours:  {excerpt(texts[1], at)}")

    @staticmethod
    def _read(connection, replies):
        try:
            if replies is None:
                return connection.read_to_end()
            return [connection.read_reply() for _ in range(replies)]
        except (resp.Closed, OSError) as error:
            return f"no reply: {type(error).__name__}"


def expand(line):
    """A line once for each choice of its {a|b|} alternatives."""
    parts = re.split(r"\{([^{}]*\|[^{}]*)\}", line)
    choices = [part.split("|") if index % 2 else [part] for index, part in enumerate(parts)]
    return (re.sub(r" +$", "", "".join(choice)) for choice in itertools.product(*choices))


def are_equal(theirs, ours, tag):
    if not (isinstance(theirs, list) and isinstance(ours, list)):
        return theirs == ours
    if tag is None:
        return [one.raw for one in theirs] == [one.raw for one in ours]
    if any(one.is_error or other.is_error for one, other in zip(theirs, ours)):
        return [one.raw for one in theirs] == [one.raw for one in ours]
    try:
        return all(NORMALISATIONS[tag](one.tree, other.tree) for one, other in zip(theirs, ours))
    except (TypeError, IndexError, KeyError, ValueError):
        return False  # A reply of another shape than the normalisation is for.


def show(replies):
    return repr(b" ".join(one.raw for one in replies) if isinstance(replies, list) else replies)


def excerpt(text, at):
    """What fits a screen, around the first difference."""
    start = 0 if len(text) < 300 else max(0, at - 100)
    before, after = "..." if start else "", "..." if start + 300 < len(text) else ""
    return f"{before}{text[start:start + 300]}{after}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redis", type=int, required=True)
    parser.add_argument("--ours", type=int, required=True)
    parser.add_argument("sessions", nargs="+", type=Path)
    options = parser.parse_args()
    servers = [Server(options.redis), Server(options.ours)]
    passed = failed = 0
    for path, protocol in itertools.product(options.sessions, (2, 3)):
        session = Session(path, protocol, servers)
        session.run()
        passed += session.passed
        failed += session.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
