#!/usr/bin/env python3
"""What measuring costs: processor time per operation of a server with all of it on, beside one with all of it off.

usage: python3 tests/faults/overhead.py [--rounds N] [--seconds S]

Both servers run all the time, and are loaded in turn, which of them first alternating: a round is a pair, and what is
said is the median of the pairs' ratios. One request at a time, then thirty. With the defaults it takes five minutes; it
needs a machine that does nothing else, and no other test runs it. Server and bench are built in Release before.
On: the defaults, and all that is asked for: latency events, /metrics fetched each second. Off: no slow log, no log of
large requests and replies, no histograms. Samples, maxima and the curve have no directive, and run in both.
Ends with "N passed, N failed".
"""
import argparse
import json
import statistics
import subprocess
import sys
import threading
import urllib.request

from server import ROOT, Client, Server, free_port
from staging import run

BENCH = ROOT / "bench/Cache.Bench/bin/Release/net10.0/Cache.Bench.dll"
KEYS = 1_000_000
LOADS = {1: 1.01, 30: 1.02}  # The most that a ratio may be, by requests that are sent together.
OFF = [
    "--slowlog-log-slower-than", "-1", "--commandlog-request-larger-than", "-1", "--commandlog-reply-larger-than", "-1",
    "--latency-tracking", "no"]
ON = ["--latency-monitor-threshold", "20", "--latency-tracking", "yes"]


def load(server, pipeline, seconds, seed, preload=False):
    """Microseconds of the server's processor time for an operation."""
    command = [
        "dotnet", str(BENCH), "server", "--target", f"127.0.0.1:{server.port}", "--pid", str(server.process.pid),
        "--keys", str(KEYS), "--value", "64", "--pipeline", str(pipeline), "--seconds", str(seconds), "--rounds", "1",
        "--warmup", "0.5", "--seed", str(seed), "--json", *(["--preload"] if preload else [])]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    figures = json.loads(next(line for line in lines if line.startswith("{")))["Rounds"][0]
    return figures["ServerCpuMicros"]


def fetch_metrics(port, end, fetched):
    while not end.wait(1):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
            fetched.append(len(reply.read()))


def compare(off, on, pipeline, most, options):
    ratios, costs = [], []
    for number in range(options.rounds):
        pair = {}
        for server in (off, on) if number % 2 == 0 else (on, off):
            pair[server] = load(server, pipeline, options.seconds, seed=number)
        ratios.append(pair[on] / pair[off])
        costs.append(pair[off])
    middle = statistics.median(ratios)
    text = (f"P={pipeline}: {middle:.4f} × of {statistics.median(costs):.3f} µs, {options.rounds} pairs, "
            f"half of them within {' to '.join(f'{quarter:.4f}' for quarter in statistics.quantiles(ratios, n=4)[::2])}")
    assert middle <= most, f"{text}; at most {most}"
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    http_port, end, fetched = free_port(), threading.Event(), []
    with Server("--maxmemory", "512mb", *OFF) as off, \
            Server("--maxmemory", "512mb", "--http-port", str(http_port), *ON) as on:
        fetcher = threading.Thread(target=fetch_metrics, args=(http_port, end, fetched))
        fetcher.start()
        for server in (off, on):
            load(server, 30, 1, seed=1, preload=True)
        results = []
        for pipeline, most in LOADS.items():
            def overhead():
                return compare(off, on, pipeline, most, options)
            results.append(run(overhead))
        end.set()
        fetcher.join()

        def is_on_and_off():
            with Client(off.port) as client:
                assert client.ask_whole("LATENCY", "HISTOGRAM") == [], "a histogram where none is kept"
            with Client(on.port) as client:
                assert client.ask_whole("LATENCY", "HISTOGRAM", "get") != [], "no histogram"
            assert fetched and min(fetched) > 1_000, "/metrics was not fetched"
            return f"/metrics was fetched {len(fetched)} times"
        results.append(run(is_on_and_off))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
