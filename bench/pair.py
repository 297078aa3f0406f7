"""This project's server and redis-server beside each other, and what each takes of the CPU. For the programs beside it."""
import contextlib
import glob
import shutil
import socket
import subprocess
import sys
import tempfile
import time

# By default both serve 10,000, of which the rigs take one.
CLIENTS_MAX = "11000"


class Server:
    def __init__(self, name, command, port):
        self.name, self.port = name, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.1)
        self.reader = self.socket.makefile("rb")

    def cpu_ns(self):
        return sum(int(open(path).read().split()[0]) for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"))

    def resident_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def send(self, requests):
        self.socket.sendall(b"".join(encode(*words) for words in requests))
        for words in requests:
            reply = self.reader.readline()
            if reply.startswith(b"-"):
                sys.exit(f"{self.name}: {' '.join(words)[:80]}: {reply.decode().strip()}")
            if reply.startswith(b"$") and not reply.startswith(b"$-1"):
                self.reader.read(int(reply[1:]) + 2)

    def used_memory(self):
        self.socket.sendall(b"INFO memory\r\n")
        text = self.reader.read(int(self.reader.readline()[1:]) + 2).decode()
        return int(text.split("used_memory:")[1].split()[0])

    def stop(self):
        self.process.kill()
        self.process.wait()


def encode(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def both(command):
    """Ours, COMMAND being `cache` of a Release build, and redis-server; without a file of any kind."""
    folder = tempfile.mkdtemp()
    ports = [free_port(), free_port()]
    servers = [
        Server("ours", [command, "server", "--port", str(ports[0]), "--maxmemory", "4gb", "--dir", folder,
                        "--maxclients", CLIENTS_MAX], ports[0]),
        Server("redis", ["redis-server", "--port", str(ports[1]), "--save", "", "--dir", folder,
                         "--maxclients", CLIENTS_MAX], ports[1]),
    ]
    try:
        yield servers
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def in_turn(servers, rounds):
    """Each server once a round, and the one that begins changes: what grows with time falls on both."""
    for number in range(rounds):
        yield from servers if number % 2 == 0 else servers[::-1]
