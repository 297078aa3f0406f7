#!/usr/bin/env python3
"""Renders the Helm chart as Helm would, and starts the server, built in Release before, with its configuration.

Knows the few actions that the chart uses: if, values, toYaml, nindent, sha256sum of an included template; anything else
is an error, so that the chart stays simple enough to be checked without Helm. Needs python3-yaml.
Ends with "N passed, N failed".
"""
import copy
import hashlib
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHART = ROOT / "deploy/helm/cache"
SERVER = ROOT / "samples/StandaloneServer/bin/Release/net10.0/StandaloneServer.dll"
START_SECONDS = 60
ACTION = re.compile(r"(\{\{-?)\s*(.*?)\s*(-?\}\})", re.S)


class ChartError(Exception):
    """What Helm would refuse, or this reader does not know."""


def value_of(path, values):
    if path == ".Release.Name":
        return "test"
    found = {"Values": values}
    for name in path.lstrip(".").split("."):
        if not isinstance(found, dict) or name not in found:
            raise ChartError(f"{path}: values.yaml has no {name}")
        found = found[name]
    return found


def evaluate(expression, values):
    first, *pipes = [part.strip() for part in expression.split("|")]
    if match := re.fullmatch(r'include \(print \$\.Template\.BasePath "/(.*)"\) \.', first):
        result = render(match[1], values)
    elif first.startswith("toYaml "):
        result = yaml.safe_dump(value_of(first[7:], values)).rstrip()
    else:
        result = value_of(first, values)
    for pipe in pipes:
        if pipe == "sha256sum":
            result = hashlib.sha256(result.encode()).hexdigest()
        elif match := re.fullmatch(r"nindent (\d+)", pipe):
            result = "\n" + "\n".join(" " * int(match[1]) + line for line in str(result).splitlines())
        else:
            raise ChartError(f"{expression}: unknown function {pipe}")
    return str(result)


def render(name, values):
    text = (CHART / "templates" / name).read_text()
    out, shown, at = "", [True], 0
    for match in ACTION.finditer(text):
        before = text[at:match.start()]
        out += (before.rstrip() if match[1] == "{{-" else before) if all(shown) else ""
        at = match.end()
        if match[3] == "-}}":
            at += len(text[at:]) - len(text[at:].lstrip())
        action = match[2]
        if action.startswith("if "):
            shown.append(bool(value_of(action[3:], values)))
        elif action == "end":
            if len(shown) == 1:
                raise ChartError(f"{name}: an end too many")
            shown.pop()
        elif all(shown):
            out += evaluate(action, values)
    if len(shown) > 1:
        raise ChartError(f"{name}: an end is missing")
    return out + text[at:]


def render_all(values):
    documents = {}
    for path in sorted((CHART / "templates").glob("*.yaml")):
        document = yaml.safe_load(render(path.name, values))
        if document is not None:
            documents[document["kind"]] = document
    return documents


def unused_values(values):
    """The settings of values.yaml that no template reads: a user would set them in vain."""
    read = "".join(path.read_text() for path in (CHART / "templates").glob("*.yaml"))

    def leaves(prefix, value):
        if isinstance(value, dict) and prefix + " " not in read and f"toYaml {prefix}" not in read:
            for name, inner in value.items():
                yield from leaves(f"{prefix}.{name}", inner)
        else:
            yield prefix

    return [leaf for leaf in leaves(".Values", values) if leaf not in read]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def starts(values):
    """Whether the server becomes healthy with the chart's configuration; its ports, addresses and folder replaced."""
    with tempfile.TemporaryDirectory() as folder:
        configuration = render_all(values)["ConfigMap"]["data"]["cache.conf"]
        port, http_port = free_port(), free_port()
        configuration = configuration.replace("port 6379", f"port {port}").replace("0.0.0.0", "127.0.0.1")
        configuration = configuration.replace(f"http-port {values['http']['port']}", f"http-port {http_port}")
        configuration = configuration.replace("dir /data", f"dir {folder}")
        path = pathlib.Path(folder) / "cache.conf"
        path.write_text(configuration)
        server = subprocess.Popen(
            ["dotnet", SERVER, path], env={**os.environ, "CACHE_REQUIREPASS": "secret"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for _ in range(START_SECONDS * 10):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{http_port}/health") as reply:
                        return reply.status == 200
                except OSError:
                    time.sleep(0.1)
            print(server.stdout.read() if server.poll() is not None else "no answer")
            return False
        finally:
            server.kill()
            server.wait()


def main():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    everything = copy.deepcopy(values)
    everything["persistence"] |= {"enabled": True, "storageClassName": "fast"}
    everything["auth"]["secretName"] = "password"
    everything["serviceMonitor"]["enabled"] = True
    plain, full = render_all(values), render_all(everything)
    version = re.search(r"<Version>(.*)</Version>", (ROOT / "Directory.Build.props").read_text())[1]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    pod = full["StatefulSet"]["spec"]["template"]["spec"]
    mounts = {mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    volumes = {volume["name"] for volume in pod["volumes"]}
    claims = {claim["metadata"]["name"] for claim in full["StatefulSet"]["spec"]["volumeClaimTemplates"]}
    checks = {
        "kinds": set(plain) == {"ConfigMap", "Service", "StatefulSet"},
        "kinds with all": set(full) == {*plain, "ServiceMonitor"},
        "each value is read": unused_values(values) == [],
        "each mount has its volume": mounts == volumes | claims,
        "the password is an environment variable": any(
            variable["name"] == "CACHE_REQUIREPASS" for variable in pod["containers"][0]["env"]),
        "versions": chart["version"] == chart["appVersion"] == values["image"]["tag"] == version,
        "starts": starts(values),
        "starts with all": starts(everything),
    }
    failed = [name for name, is_right in checks.items() if not is_right]
    for name in failed:
        print(f"FAILED {name}")
    print(f"{len(checks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
