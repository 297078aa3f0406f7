#!/usr/bin/env python3
"""Records what redis-server replies in the sessions of a file, into that file.

usage: record-sessions.py FILE [PORT]        (redis-server 7.0.15 on the path; PORT, 7299, must be free)

A line of the file is a client, a command and its reply, separated by tabs; this program rewrites the replies. A line
that begins with "#" is a comment, one that begins with "==" starts over with a new server and new clients; after
"== cluster:" it is one of two servers of a cluster, at PORT and PORT + 1, with the slots 0 to 8000 and 8192 to 16383. The
command "<" sends nothing: its reply is what has come for the client meanwhile. A client with a longer name than "3"
that ends so has said HELLO 3. Words
of a command are separated by single blanks; \\s is a blank within a word, and \\r \\n \\t \\0 \\\\ \\xNN are as in C. A reply
ends in "<closed>" if the server closed the connection after it.
"""
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import resp

PORT = int(sys.argv[2]) if len(sys.argv) > 2 else 7299
NAMED = {"s": " ", "r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}

# In so many rounds of Redis's loop a request that was sent before them is read, executed, and answered.
ROUNDS = 3


def unescape(word):
    return re.sub(r"\\(x[0-9a-f]{2}|.)", lambda m: NAMED[m[1]] if m[1] in NAMED else chr(int(m[1][1:], 16)), word)


def escape(text):
    text = text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
    return re.sub(r"[^ -~]", lambda m: f"\\x{ord(m[0]):02x}", text)


# The slots of the two servers of a cluster; between them are some that nobody owns.
SLOTS = ["0-8000", "8192-16383"]
PATIENCE_SECONDS = 20


def node_id(port):
    """The number that our server gives to this address."""
    return hashlib.sha256(f"127.0.0.1:{port}".encode()).hexdigest()[:40]


def node_lines(own_port):
    lines = []
    for index, slots in enumerate(SLOTS):
        port = PORT + index
        flags = "myself,master" if port == own_port else "master"
        address = f"127.0.0.1:{port}@{port + 10000}"
        lines.append(f"{node_id(port)} {address} {flags} - 0 0 {index + 1} connected {slots}\n")
    return "".join(lines) + "vars currentEpoch 2 lastVoteEpoch 0\n"


class Server:
    def __init__(self, is_cluster=False):
        self._folder = tempfile.TemporaryDirectory()
        self._processes = []
        for port in range(PORT, PORT + len(SLOTS) if is_cluster else PORT + 1):
            folder = pathlib.Path(self._folder.name) / str(port)
            folder.mkdir()
            words = ["redis-server", "--port", str(port), "--save", "", "--dir", folder]
            if is_cluster:
                (folder / "nodes.conf").write_text(node_lines(port))
                words += ["--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"]
            self._processes.append(subprocess.Popen(words, stdout=subprocess.DEVNULL))
        self._clients = {}
        self._connect().close()
        if is_cluster:
            self._wait_for_cluster()

    # A server that was just started waits a moment before it answers, and until it has seen the other one.
    def _wait_for_cluster(self):
        control = self._connect()
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if "cluster_state:ok" in control.call("CLUSTER", "INFO"):
                control.close()
                return
            time.sleep(0.05)
        raise TimeoutError("the cluster does not become ready")

    def _connect(self):
        for _ in range(200):
            try:
                return resp.Connection(PORT)
            except OSError:
                time.sleep(0.02)
        raise TimeoutError("redis-server does not listen")

    def call(self, client, words):
        """Everything that the client receives for a command, which may be nothing, or the end of its connection."""
        if client not in self._clients:
            self._clients[client] = resp.Connection(PORT)
            if len(client) > 1 and client.endswith("3"):
                self._clients[client].call("HELLO", "3")
        connection = self._clients[client]
        try:
            if words != ["<"]:
                connection.send(resp.encode([word.encode("latin1") for word in words]))
        except OSError:
            return "<closed>"
        reply = b""
        while self._pass_rounds() and connection.has_more():
            try:
                reply += connection.read_reply().raw
            except resp.Closed:
                return escape(reply.decode("latin1")) + "<closed>"
        return escape(reply.decode("latin1"))

    # Redis has one thread: what it was sent before has been done once these are answered, be it by an error. No time
    # is waited for. The connection ends each time, since some commands count all that there are.
    def _pass_rounds(self):
        for _ in range(ROUNDS):
            control = self._connect()
            control.send(resp.encode([b"QUIT"]))
            control.read_to_end()
            control.close()
        return True

    def stop(self):
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.wait()
        for connection in self._clients.values():
            connection.close()
        self._folder.cleanup()


def record(lines):
    server = None
    try:
        for line in lines:
            if line.startswith("=="):
                if server:
                    server.stop()
                server = Server(line.startswith("== cluster:"))
            elif line and not line.startswith("#"):
                client, command = line.split("\t")[:2]
                line = f"{client}\t{command}\t{server.call(client, [unescape(word) for word in command.split(' ')])}"
            yield line
    finally:
        if server:
            server.stop()


def main():
    path = pathlib.Path(sys.argv[1])
    lines = list(record(path.read_text().splitlines()))
    path.write_text("\n".join(lines) + "\n")


main()
