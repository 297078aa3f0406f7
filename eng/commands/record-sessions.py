#!/usr/bin/env python3
"""Records what redis-server replies in the sessions of a file, into that file.

usage: record-sessions.py FILE [PORT]        (redis-server 7.0.15 on the path; PORT, 7299, must be free)

A line of the file is a client, a command and its reply, separated by tabs; this program rewrites the replies. A line
that begins with "#" is a comment, one that begins with "==" starts over with a new server and new clients. The
command "<" sends nothing: its reply is what has come for the client meanwhile. A client with a longer name than "3"
that ends so has said HELLO 3. Words
of a command are separated by single blanks; \\s is a blank within a word, and \\r \\n \\t \\0 \\\\ \\xNN are as in C. A reply
ends in "<closed>" if the server closed the connection after it.
"""
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


class Server:
    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            ["redis-server", "--port", str(PORT), "--save", "", "--dir", self._folder.name], stdout=subprocess.DEVNULL)
        self._clients = {}
        self._connect().close()

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
        self._process.terminate()
        self._process.wait()
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
                server = Server()
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
