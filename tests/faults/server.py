"""The stand-alone server as a process of its own, and a client that knows only bytes."""
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll"
TOOL = ROOT / "src/Cache.Tool/bin/Release/net10.0/Cache.Tool.dll"

# Of a busy machine; a server that needs longer to start or to answer has failed.
PATIENCE = 30


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Server:
    def __init__(self, *arguments, port=None, stdout=None, before=None, wait=True):
        self.port = port or free_port()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["dotnet", str(PROGRAM), "--port", str(self.port), *arguments], stdin=subprocess.DEVNULL,
            stdout=stdout or self.log, stderr=subprocess.STDOUT if stdout is None else stdout, cwd=PROGRAM.parent,
            preexec_fn=before)
        if wait:
            self.wait_until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def wait_until_ready(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                with Client(self.port) as client:
                    if client.ask("PING") == b"+PONG":
                        return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"no PONG within {PATIENCE} s; the log says: {self.text()}")

    def stop(self):
        """Asks for an orderly stop. Returns the exit code and the seconds that it took."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE), time.monotonic() - start

    def kill(self):
        self.process.kill()
        self.process.wait()

    def text(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) << 10
        raise AssertionError("the server has gone")

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))


class Container:
    """The memory limit of a container: a control group where one can be made, else what the server is told."""

    def __init__(self, bytes_max):
        self.bytes_max = bytes_max
        self.group = None
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            group = pathlib.Path(root, f"cache-faults-{os.getpid()}")
            try:
                group.mkdir()
                (group / limit).write_text(str(bytes_max))
                self.group = group
                break
            except OSError:
                if group.exists():
                    group.rmdir()
        self.kind = "a control group" if self.group else "by --maxmemory"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.group:
            self.group.rmdir()

    def start_server(self):
        if not self.group:
            return Server("--maxmemory", str(self.bytes_max // 4))
        procs = self.group / "cgroup.procs"
        return Server(before=lambda: procs.write_text(str(os.getpid())))


class Client:
    def __init__(self, port, timeout=PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.input.close()
        self.socket.close()

    def send(self, *words):
        self.socket.sendall(encode(*words))

    def read(self):
        """A reply: its line, or the bytes of a bulk string. EOFError if the server has closed."""
        line = self.input.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError(line)
        if line[:1] != b"$" or line == b"$-1\r\n":
            return line[:-2]
        length = int(line[1:])
        value = self.input.read(length + 2)
        if len(value) != length + 2:
            raise EOFError(value[:20])
        return value[:-2]

    def read_whole(self):
        """A reply of any shape; a map as its keys and values in turn."""
        line = self.read()
        if line[:1] in (b"*", b"%") and line[1:].isdigit():
            return [self.read_whole() for _ in range(int(line[1:]) * (2 if line[:1] == b"%" else 1))]
        return line

    def ask_whole(self, *words):
        self.send(*words)
        return self.read_whole()

    def ask(self, *words):
        self.send(*words)
        return self.read()


def encode(*words):
    parts = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
