#!/usr/bin/env python3
"""Records what redis-server replies in the sessions of a file, into that file.

usage: record-sessions.py FILE [PORT]        (redis-server 7.0.15 on the path; PORT, 7299, must be free)

A line of the file is a client, a command and its reply, separated by tabs; this program rewrites the replies. A line
that begins with "#" is a comment, one that begins with "==" starts over with a new server and new clients. Words
of a command are separated by single blanks; \\s is a blank within a word, and \\r \\n \\t \\0 \\\\ \\xNN are as in C. A reply
ends in "<closed>" if the server closed the connection after it.
"""
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

PORT = int(sys.argv[2]) if len(sys.argv) > 2 else 7299
NAMED = {"s": " ", "r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
QUIET_SECONDS = 0.03


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
        self._wait()

    def _wait(self):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", PORT)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise TimeoutError("redis-server does not listen")

    def call(self, client, words):
        if client not in self._clients:
            self._clients[client] = socket.create_connection(("127.0.0.1", PORT))
        connection = self._clients[client]
        frames = [b"*%d\r\n" % len(words)]
        frames += [b"$%d\r\n%s\r\n" % (len(word), word.encode("latin1")) for word in words]
        connection.sendall(b"".join(frames))
        connection.settimeout(QUIET_SECONDS)
        reply = b""
        while True:
            try:
                part = connection.recv(1 << 20)
            except TimeoutError:
                return escape(reply.decode("latin1"))
            except ConnectionResetError:
                part = b""
            if not part:
                return escape(reply.decode("latin1")) + "<closed>"
            reply += part

    def stop(self):
        self._process.terminate()
        self._process.wait()
        for connection in self._clients.values():
            connection.close()
        self._folder.cleanup()


def main():
    path = pathlib.Path(sys.argv[1])
    server = None
    lines = []
    for line in path.read_text().splitlines():
        if line.startswith("=="):
            if server:
                server.stop()
            server = Server()
        elif line and not line.startswith("#"):
            client, command = line.split("\t")[:2]
            line = f"{client}\t{command}\t{server.call(client, [unescape(word) for word in command.split(' ')])}"
        lines.append(line)
    if server:
        server.stop()
    path.write_text("\n".join(lines) + "\n")


main()
