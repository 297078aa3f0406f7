#!/usr/bin/env python3
"""Publishes the server, built in Release before, as a container; compares the image with Dockerfile and chart.

Neither Docker nor a registry is needed: a server of this script stands for the registry of the base image, with an image
of one empty layer, and the SDK writes the image that it makes to an archive. The server is then started from the archive
as the image says. Needs python3-yaml. Ends with "N passed, N failed".
"""
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = ROOT / "samples/StandaloneServer"
CHART = ROOT / "deploy/helm/cache"
START_SECONDS = 60
MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def base_image():
    """A manifest, and the blobs that it names: a configuration as the base image has it, and an empty layer."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz"):
        pass
    layer, plain = archive.getvalue(), io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w"):
        pass
    configuration = json.dumps({
        "architecture": "amd64", "os": "linux",
        "config": {"User": "1654", "Env": ["PATH=/usr/bin:/usr/share/dotnet", "APP_UID=1654"]},
        "rootfs": {"type": "layers", "diff_ids": [digest_of(plain.getvalue())]},
        "history": [{"created": "2026-01-01T00:00:00Z", "created_by": "base"}]}).encode()
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.docker.container.image.v1+json",
            "size": len(configuration), "digest": digest_of(configuration)},
        "layers": [{
            "mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip",
            "size": len(layer), "digest": digest_of(layer)}]}).encode()
    return manifest, {digest_of(configuration): configuration, digest_of(layer): layer}


class Registry(http.server.BaseHTTPRequestHandler):
    manifest, blobs = base_image()

    def do_GET(self):
        name = self.path.rsplit("/", 1)[-1]
        body = self.manifest if "/manifests/" in self.path else self.blobs.get(name, b"")
        self.send_response(200 if body or self.path == "/v2/" else 404)
        self.send_header("Content-Type", MANIFEST if "/manifests/" in self.path else "application/octet-stream")
        self.send_header("Docker-Content-Digest", digest_of(body))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def publish(archive):
    """Publishes over a base image of this script's registry."""
    registry = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=registry.serve_forever, daemon=True).start()
    host = f"localhost:{registry.server_address[1]}"
    try:
        subprocess.run(
            ["dotnet", "publish", PROJECT, "-c", "Release", "--no-restore", "-nologo", "-p:RunAnalyzers=false",
             "-t:PublishContainer", f"-p:ContainerBaseImage={host}/base:1", f"-p:ContainerArchiveOutputPath={archive}"],
            check=True, env={**os.environ, "DOTNET_CONTAINER_INSECURE_REGISTRIES": host})
    finally:
        registry.shutdown()


def evaluate(*names):
    """The project's properties as they are without any of the above."""
    result = subprocess.run(
        ["dotnet", "msbuild", PROJECT / "StandaloneServer.csproj", "-nologo", "-p:Configuration=Release",
         "-getProperty:" + ",".join(names)], check=True, capture_output=True, text=True)
    return json.loads(result.stdout)["Properties"]


def read_image(archive, folder):
    """Unpacks the layers as one file system; returns the configuration, the tags, and the owners of the files."""
    owners = {}
    with tarfile.open(archive) as image:
        manifest = json.load(image.extractfile("manifest.json"))[0]
        configuration = json.load(image.extractfile(manifest["Config"]))
        for name in manifest["Layers"]:
            with tarfile.open(fileobj=io.BytesIO(image.extractfile(name).read())) as layer:
                owners |= {member.name: member.uid for member in layer}
                layer.extractall(folder)  # Of our own making; Debian's Python has no filters yet.
    return configuration, manifest["RepoTags"], owners


def dockerfile():
    """The instructions of the last stage, by name; of each the last."""
    last = (PROJECT / "Dockerfile").read_text().rsplit("\nFROM ", 1)[1]
    found = {"FROM": last.splitlines()[0].strip()}
    for line in last.splitlines()[1:]:
        if match := re.match(r"([A-Z]+) (.*)", line):
            found[match[1]] = match[2].strip()
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def starts(command, folder, environment):
    """Whether the server answers when it is started as the image says, and its own check of health agrees."""
    port = free_port()
    command = [part.replace("/cache/", f"{folder}/cache/") for part in command]
    run = {"cwd": f"{folder}/cache", "env": {**os.environ, **environment, "CACHE_BIND": "127.0.0.1"}}
    server = subprocess.Popen(
        [*command, "--port", str(port), "--maxmemory", "16mb"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, **run)
    try:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and server.poll() is None:
            if subprocess.run([*command, "--ping", str(port)], capture_output=True, **run).returncode == 0:
                return True
            time.sleep(0.1)
        server.kill()
        print(server.communicate()[0])
        return False
    finally:
        server.kill()
        server.wait()


def chart():
    """The container of the chart's pod, the pod's security context, and the name and tag of the image."""
    text = (CHART / "templates/statefulset.yaml").read_text()
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    return {
        "user": re.search(r"runAsUser: (\d+)", text)[1],
        "port": re.search(r"name: redis\s+containerPort: (\d+)", text)[1],
        "data": re.search(r"name: data\s+mountPath: (\S+)", text)[1],
        "dir": re.search(r"^    dir (\S+)", (CHART / "templates/configmap.yaml").read_text(), re.M)[1],
        "has command": "command:" in text,
        "image": f"{values['image']['repository']}:{values['image']['tag']}",
    }


def main():
    properties = evaluate(
        "ContainerBaseImage", "ContainerRepository", "ContainerImageTag", "ContainerUser", "ContainerWorkingDirectory")
    file, pod = dockerfile(), chart()
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "image.tar.gz"
        publish(archive)
        configuration, tags, owners = read_image(archive, f"{folder}/root")
        image = configuration["config"]
        environment = dict(one.split("=", 1) for one in image["Env"])
        command = image["Entrypoint"]
        checks = {
            "base image is Dockerfile's": properties["ContainerBaseImage"] == file["FROM"],
            "user of all three": image["User"] == file["USER"] == pod["user"] == properties["ContainerUser"],
            "port of all three": [*image["ExposedPorts"]] == [f"{file['EXPOSE']}/tcp"] == [f"{pod['port']}/tcp"],
            "folder": image["WorkingDir"].rstrip("/") == file["WORKDIR"] == "/cache",
            "command is Dockerfile's": [pathlib.PurePosixPath(part).name for part in command]
                == json.loads(file["ENTRYPOINT"]),
            "arguments are the caller's": not image.get("Cmd") and not pod["has command"],
            "variables are Dockerfile's": environment["CACHE_BIND"] == file["ENV"].split("=")[1],
            "variables of the base image stay": environment["APP_UID"] == image["User"],
            "data lies where the chart has it": json.loads(file["VOLUME"]) == [pod["data"]] == [pod["dir"]],
            "name is the chart's": tags == [pod["image"]],
            "labels": image["Labels"].get("org.opencontainers.image.title") == "Cache"
                and image["Labels"].get("org.opencontainers.image.version") == pod["image"].split(":")[1]
                and bool(image["Labels"].get("org.opencontainers.image.licenses"))
                and bool(image["Labels"].get("org.opencontainers.image.description")),
            "configuration is in it": "cache/cache.conf" in {name.lstrip("./") for name in owners},
            "starts": starts(command, f"{folder}/root", {"DOTNET_EnableDiagnostics": "0"}),
        }
    failed = [name for name, is_right in checks.items() if not is_right]
    if failed:
        print(json.dumps({"image": image, "tags": tags, "dockerfile": file, "chart": pod}, indent=2))
    for name in failed:
        print(f"FAILED {name}")
    print(f"{len(checks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
