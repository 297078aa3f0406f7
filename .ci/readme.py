"""Follows README as a newcomer does: runs its shell blocks as printed, from the server's first start to an application
made of the packages, and the configuration of docs/operations.md. Needs redis-cli, openssl, and what .ci/packages.sh
packed. Ends with "N passed, N failed".
"""

import ctypes
import fcntl
import os
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What a start may take on a busy machine; it is waited for in steps.
START_SECONDS = 120
# CI has a step of its own for these; a publisher's command has an address of his own.
DONE_ELSEWHERE = ("dotnet test Cache.sln", "dotnet pack Cache.sln -c Release")

# Those that README and docs/operations.md name: of the server, of its TLS, of the application.
PORTS = (6379, 6390, 5080)

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 0x1

failures = []
checks = 0


def check(what, is_right, detail=""):
    global checks
    checks += 1
    if not is_right:
        failures.append(what)
        print(f"FAILED {what}: {detail}")


def take_own_network():
    """Ports of a network of its own are free, whatever else runs here. Without one: those that are taken."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net") as shared:
        if libc.unshare(CLONE_NEWNET) == 0:
            try:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
                    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
                return []
            except OSError:
                # A container may allow the one and not the other.
                libc.setns(shared.fileno(), CLONE_NEWNET)
    print("no network of its own is allowed here: the ports that README names must be free")
    return [port for port in PORTS if is_taken(port)]


def is_taken(port):
    """Whether something listens there. A connection that has ended a moment ago does not."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as any_socket:
        any_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            any_socket.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def blocks(page):
    """Language, heading above it and text of each fenced block."""
    heading, language, lines = "", None, []
    for line in Path(page).read_text().splitlines():
        if language is not None:
            if line.startswith("```"):
                yield language, heading, "\n".join(lines) + "\n"
                language, lines = None, []
            else:
                lines.append(line)
        elif line.startswith("```"):
            language = line[3:].strip()
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def commands(text):
    """The commands of a block, without their comments, each with the lines that continue it."""
    whole = text.replace("\\\n", " ")
    return [re.sub(r"\s+# .*", "", line).strip() for line in whole.splitlines() if line.strip()]


def run(command, folder=".", environment=None):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.decode()


def run_at_terminal(command):
    """What somebody at a terminal sees: redis-cli quotes values there."""
    outer, inner = pty.openpty()
    with subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=inner, stderr=inner) as process:
        os.close(inner)
        seen = b""
        try:
            while part := os.read(outer, 65536):
                seen += part
        except OSError:
            pass
        process.wait(60)
    os.close(outer)
    return seen.decode().replace("\r\n", "\n")


class Server:
    """A command that goes on until it is told to stop."""

    def __init__(self, command, folder=".", environment=None):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=subprocess.STDOUT, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The SDK's `dotnet run` has the program as a child.
        if self.process.poll() is not None:
            return
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def wait_until(self, command, expected):
        """Whether the command prints it in time."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if expected in run(command)[1]:
                return True
            time.sleep(0.3)
        return False


def follow(heading, text, output):
    """A block as printed. A server that it starts runs until the block has been followed."""
    server = None
    seen = ""
    for command in commands(text):
        if command in DONE_ELSEWHERE:
            continue
        if command.startswith("dotnet run"):
            server = Server(command)
            continue
        if server is not None:
            check(f"{heading}: {command}", server.wait_until(command, "PONG"), server.text())
            continue
        if output is None:
            code, printed = run(command)
            check(f"{heading}: {command}", code == 0, printed)
        else:
            seen += run_at_terminal(command)
    if output is not None:
        check(f"{heading}: what it prints", seen == output, repr(seen))
    return server


def follow_start(readme):
    """The server in one terminal, redis-cli in the other."""
    start, session, output = [text for language, heading, text in readme if heading == "Start"]
    server = follow("Start", start, None)
    with server:
        check("Start: the server answers", server.wait_until("redis-cli -p 6379 ping", "PONG"), server.text())
        follow("Start", session, output)


def follow_tls(readme):
    tls = next(text for _, _, text in readme if "--tls-port" in text)
    try:
        with follow("TLS", tls, None):
            pass
    finally:
        for name in ("key.pem", "cert.pem"):
            Path(name).unlink(missing_ok=True)


def follow_install(readme, home):
    """The packages from their folder, in a project that is new."""
    environment = {**os.environ, "HOME": str(home), "DOTNET_CLI_HOME": str(home), "CI": "false"}
    environment.setdefault("NUGET_PACKAGES", str(Path.home() / ".nuget/packages"))
    settings = Path.home() / ".nuget/NuGet/NuGet.Config"
    if settings.exists():
        (home / ".nuget/NuGet").mkdir(parents=True)
        shutil.copy(settings, home / ".nuget/NuGet")
    else:
        run("dotnet nuget list source", environment=environment)
    source, project = [text for language, heading, text in readme if heading == "Install" and language == "sh"]
    for command in commands(source):
        if command not in DONE_ELSEWHERE:
            code, printed = run(command, environment=environment)
            check(f"Install: {command}", code == 0, printed)
    code, printed = run("set -e\n" + project, folder=home, environment=environment)
    check("Install: a new project with the package", code == 0, printed)
    return environment


def follow_application(readme, home, environment):
    """README's Program.cs in that project: a page, and redis-cli beside it."""
    program = next(text for language, heading, text in readme if heading == "In a web application")
    (home / "shop/Program.cs").write_text(program)
    environment = {**environment, "ASPNETCORE_URLS": "http://127.0.0.1:5080"}
    with Server("dotnet run --no-launch-profile --no-restore", home / "shop", environment) as server:
        request = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:5080/price/4').read())"
        page = f'/usr/bin/python3 -c "{request}"'
        check("application: its page", server.wait_until(page, "6.0"), server.text())
        code, printed = run("redis-cli -p 6379 get price:4")
        check("application: its entry, seen by redis-cli", printed.strip() == "6.0", printed)


def follow_operations():
    operations = list(blocks("docs/operations.md"))
    publish = next(text for language, heading, text in operations if heading == "Deployment" and language == "sh")
    follow("Deployment", publish, None)
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(next(text for language, _, text in operations if language == "conf"))
        file.flush()
        with Server(f"dotnet artifacts/cache/StandaloneServer.dll {file.name}") as server:
            answers = server.wait_until("redis-cli --no-auth-warning -a change-me ping", "PONG")
            check("Deployment: the configuration", answers, server.text())


def main():
    os.chdir(Path(__file__).parent.parent)
    readme = list(blocks("README.md"))
    with tempfile.TemporaryDirectory() as folder:
        environment = follow_install(readme, Path(folder))
        if taken := take_own_network():
            ports = " and ".join(map(str, taken))
            print(f"something listens on port {ports} already, which README names: stop it, and run this again")
            return 1
        follow_start(readme)
        follow_tls(readme)
        follow_application(readme, Path(folder), environment)
        follow_operations()
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
