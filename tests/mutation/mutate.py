#!/usr/bin/env python3
"""Breaks one invariant at a time in a copy of the tree, and shows that a test fails for each.

usage: python3 tests/mutation/mutate.py [--check] [--results FILE] [NAME...]

--check only looks whether every mutant of mutants.txt still finds its text, once, and its test classes. NAMEs choose mutants. Results are
appended to FILE, and what is in it already is not run again. Ends with a table and "N killed, N survived"; exits with
0 if none survived. A mutant that does not end in time is killed too: what waits for it would notice.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTANTS = pathlib.Path(__file__).with_name("mutants.txt")

# Longer than the slowest of the named test classes takes on a busy machine.
TEST_SECONDS = 120
BUILD_SECONDS = 600

LEFT_BEHIND = shutil.ignore_patterns(".git", "bin", "obj", "artifacts", "TestResults", "feed")


# What counts against the tests: nothing failed, or nothing was tried.
SURVIVED = "SURVIVED"
NOT_BUILT = "DOES NOT COMPILE"


class Mutant:
    def __init__(self, name):
        self.name = name
        self.file = self.project = self.equivalent = None
        self.classes = []
        self.old = []
        self.new = []

    def mutated(self, text):
        old, new = "\n".join(self.old), "\n".join(self.new)
        if text.count(old) != 1:
            raise ValueError(f"{self.name}: its text is {text.count(old)} times in {self.file}, not once:\n{old}")
        return text.replace(old, new)


def read_mutants():
    mutants = []
    for line in MUTANTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            mutants.append(Mutant(line[3:]))
        elif line.startswith("file: "):
            mutants[-1].file = line[6:]
        elif line.startswith("tests: "):
            mutants[-1].project, *mutants[-1].classes = line[7:].split()
        elif line.startswith("equivalent: "):
            mutants[-1].equivalent = line[12:]
        elif line.startswith("-"):
            mutants[-1].old.append(line[1:])
        elif line.startswith("+"):
            mutants[-1].new.append(line[1:])
    return mutants


def run(command, folder, seconds):
    """The exit code and the output; None if it took too long."""
    environment = dict(os.environ, UseSharedCompilation="true", DOTNET_NOLOGO="1")
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""


FAST = ["-v", "q", "-nologo", "-p:RunAnalyzers=false", "-p:EnforceCodeStyleInBuild=false",
        "-p:TreatWarningsAsErrors=false"]


def build(tree, *arguments):
    code, output = run(["dotnet", "build", *arguments, *FAST], tree, BUILD_SECONDS)
    if code != 0:
        raise RuntimeError(f"The build of {arguments[0]} failed:\n{output[-3000:]}")


def output_of(project):
    return f"{project}/bin/Debug/net10.0"


def build_mutated(tree, mutant):
    """The changed project alone, put where the tests load it from: a change within a method concerns no other."""
    project = pathlib.Path(*pathlib.PurePosixPath(mutant.file).parts[:2])
    build(tree, str(project), "--no-dependencies", "--no-restore")
    shutil.copy(tree / output_of(project) / f"{project.name}.dll", library_of(tree, mutant))


def library_of(tree, mutant):
    """The library of the mutant's file, where the tests load it from."""
    name = pathlib.PurePosixPath(mutant.file).parts[1]
    return tree / output_of(f"tests/Cache.{mutant.project}.Tests") / f"{name}.dll"


def test(tree, mutant):
    """What killed the mutant; None if nothing did."""
    name = f"Cache.{mutant.project}.Tests"
    command = [f"{output_of('tests/' + name)}/{name}", "-noLogo", "-noColor", "-stopOnFail"]
    for test_class in mutant.classes:
        command += ["-class", f"*.{test_class}"]
    code, output = run(command, tree, TEST_SECONDS)
    if code is None:
        return f"no end within {TEST_SECONDS} s"
    if code == 0:
        if "Total: 0," in output:
            raise RuntimeError(f"{mutant.name}: no test was found.")
        return None
    failed = [line.split("[FAIL]")[0].strip() for line in output.splitlines() if "[FAIL]" in line]
    return ".".join(failed[0].split("(")[0].split(".")[-2:]) if failed else "the process ended"


def try_one(tree, mutant):
    path = tree / mutant.file
    original = path.read_text(encoding="utf-8")
    library = library_of(tree, mutant)
    unchanged = library.read_bytes()
    path.write_text(mutant.mutated(original), encoding="utf-8")
    try:
        build_mutated(tree, mutant)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return NOT_BUILT
    else:
        return test(tree, mutant) or SURVIVED
    finally:
        path.write_text(original, encoding="utf-8")
        library.write_bytes(unchanged)  # Else a later mutant of another library is killed by what is left of this one.


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    mutants = read_mutants()
    unknown = [name for name in arguments.names if all(mutant.name != name for mutant in mutants)]
    if unknown:
        parser.error(f"no mutant of {MUTANTS.name} is named: {'; '.join(unknown)}")
    mutants = [mutant for mutant in mutants if not arguments.names or mutant.name in arguments.names]
    for mutant in mutants:
        mutant.mutated((ROOT / mutant.file).read_text(encoding="utf-8"))
    look_for_classes(mutants)
    if arguments.check:
        print(f"{len(mutants)} mutants find their texts.")
        return 0

    done = {}
    if arguments.results and arguments.results.exists():
        done = dict(line.split("\t") for line in arguments.results.read_text(encoding="utf-8").splitlines())
    with tempfile.TemporaryDirectory(prefix="cache-mutation-") as folder:
        tree = pathlib.Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND, symlinks=True)
        for project in sorted({mutant.project for mutant in mutants if not mutant.equivalent}):
            build(tree, f"tests/Cache.{project}.Tests")
        for mutant in mutants:
            if mutant.equivalent or mutant.name in done:
                continue
            done[mutant.name] = try_one(tree, mutant)
            print(f"{mutant.name}: {done[mutant.name]}", flush=True)
            if arguments.results:
                with arguments.results.open("a", encoding="utf-8") as results:
                    results.write(f"{mutant.name}\t{done[mutant.name]}\n")
    return report(mutants, done)


def look_for_classes(mutants):
    """A class that was renamed kills nothing."""
    for project in {mutant.project for mutant in mutants}:
        folder = ROOT / f"tests/Cache.{project}.Tests"
        texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.cs") if "obj" not in path.parts]
        there = set(re.findall(r"\bclass (\w+)", "\n".join(texts)))
        for mutant in mutants:
            missing = set(mutant.classes) - there
            if mutant.project == project and missing:
                raise ValueError(f"{mutant.name}: no class {', '.join(missing)} in {folder.name}")


def report(mutants, done):
    survived = sum(1 for mutant in mutants if done.get(mutant.name) in (SURVIVED, NOT_BUILT))
    killed = sum(1 for mutant in mutants if mutant.name in done) - survived
    print("\n| mutant | file | killed by |\n|---|---|---|")
    for mutant in mutants:
        outcome = f"equivalent: {mutant.equivalent}" if mutant.equivalent else done[mutant.name]
        print(f"| {mutant.name} | {pathlib.Path(mutant.file).name} | {outcome} |")
    print(f"\n{killed} killed, {survived} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
