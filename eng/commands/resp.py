"""A RESP2 and RESP3 client that keeps every reply's bytes, and a reader of the words of a session's line.

The one client of all scripts here and of tests/interop. Needs Python's standard library alone.
"""

import re
import select
import socket

# Long enough for a busy machine, short enough that a missing reply is noticed.
TIMEOUT_SECONDS = 10

_ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "b": b"\b", "a": b"\a", "\\": b"\\", '"': b'"', "'": b"'"}


class Closed(Exception):
    """The server closed the connection in the middle of a reply."""


class Reply:
    """One reply: its bytes, and what they mean as nested (type, value) pairs."""

    def __init__(self, raw, tree):
        self.raw = raw
        self.tree = tree

    @property
    def is_error(self):
        return self.raw[:1] == b"-"


class Connection:
    """One connection; sends bytes and reads replies one by one."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._pending = b""

    def close(self):
        self._socket.close()

    def send(self, data):
        self._socket.sendall(data)

    def call(self, *words):
        """Sends a command of text, and gives its reply as Python's own values; an error raises RuntimeError."""
        self.send(encode([word.encode("latin1") for word in words]))
        return _value_of(self.read_reply().tree)

    def read_reply(self):
        self._raw = b""
        tree = self._read_tree()
        return Reply(self._raw, tree)

    def take_until(self, mark):
        """All bytes up to a mark, which is taken too, and is no part of them."""
        looked = 0
        while (at := self._pending.find(mark, looked)) < 0:
            looked = max(0, len(self._pending) - len(mark))
            self._receive()
        taken, self._pending = self._pending[:at], self._pending[at + len(mark):]
        return taken

    def has_more(self):
        """Whether the server has sent something, or closed the connection; waits for neither."""
        return bool(self._pending) or bool(select.select([self._socket], [], [], 0)[0])

    def read_to_end(self):
        """All bytes until the server closes the connection."""
        data = self._pending
        self._pending = b""
        while True:
            try:
                piece = self._socket.recv(65536)
            except ConnectionResetError:
                return data
            if not piece:
                return data
            data += piece

    def _read_tree(self):
        line = self._take_line()
        kind, rest = line[:1], line[1:]
        if kind in b"$=":
            length = int(rest)
            return (kind, None) if length < 0 else (kind, self._take(length + 2)[:-2])
        if kind in b"*~>":
            count = int(rest)
            return (kind, None) if count < 0 else (kind, [self._read_tree() for _ in range(count)])
        if kind == b"%":
            return (kind, [self._read_tree() for _ in range(2 * int(rest))])
        return (kind, rest)

    def _take_line(self):
        while b"\r\n" not in self._pending:
            self._receive()
        return self._take(self._pending.index(b"\r\n") + 2)[:-2]

    def _take(self, count):
        while len(self._pending) < count:
            self._receive()
        taken, self._pending = self._pending[:count], self._pending[count:]
        self._raw += taken
        return taken

    def _receive(self):
        try:
            piece = self._socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise Closed()
        self._pending += piece


class _Bytes(Connection):
    """Replies that were received."""

    def __init__(self, data):
        self._pending = data

    def _receive(self):
        raise Closed()


def parse(data):
    """All replies of some bytes."""
    source, replies = _Bytes(data), []
    while source._pending:
        replies.append(source.read_reply())
    return replies


def _value_of(tree):
    kind, value = tree
    if kind == b"-":
        raise RuntimeError(value.decode())
    if value is None or kind == b"_":
        return None
    if kind == b":":
        return int(value)
    if kind == b"%":
        values = [_value_of(each) for each in value]
        return dict(zip(values[::2], values[1::2]))
    if isinstance(value, list):
        return [_value_of(each) for each in value]
    return value.decode()[4:] if kind == b"=" else value.decode()


def encode(words):
    """A command as an array of bulk strings."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def unescape(text):
    """The bytes of a text with backslash escapes."""
    return b"".join(
        bytes([int(match[2], 16)]) if match[2] else _ESCAPES[match[3]] if match[3] else match[1].encode()
        for match in re.finditer(r"(\\x([0-9a-fA-F]{2})|\\(.)|[^\\])", text, re.DOTALL))


def split_words(line):
    """Words between spaces; "..." takes escapes, and "..."*N repeats what it quotes."""
    words = []
    for match in re.finditer(r'"((?:[^"\\]|\\.)*)"(?:\*(\d+))?(?=\s|$)|(\S+)', line):
        words.append(match[3].encode() if match[3] else unescape(match[1]) * int(match[2] or 1))
    return words
