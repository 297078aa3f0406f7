"""usage: packages.py FOLDER — checks the packages there: which they are, what they hold, what they depend on."""

import re
import sys
import zipfile
from pathlib import Path

# A package depends on these and on nothing else.
DEPENDENCIES = {
    "Cache.Core": {
        "Microsoft.Extensions.Caching.Abstractions",
        "Microsoft.Extensions.DependencyInjection.Abstractions",
        "Microsoft.Extensions.Options",
    },
    "Cache.Server": {"Cache.Core", "Microsoft.Extensions.Logging.Abstractions"},
    "Cache.Hosting": {
        "Cache.Server",
        "Microsoft.Extensions.Diagnostics.HealthChecks",
        "Microsoft.Extensions.Hosting.Abstractions",
    },
    "Cache.AspNetCore": {"Cache.Core"},
}

# A package needs these of the machine.
FRAMEWORKS = {"Cache.AspNetCore": {"Microsoft.AspNetCore.App"}}

failures = []
checks = 0


def check(what, expected, actual):
    global checks
    checks += 1
    if expected != actual:
        failures.append(what)
        print(f"FAILED {what}: expected {expected}, was {actual}")


def name_of(path):
    return re.match(r"(.*?)\.\d", path.name)[1]


def check_package(path):
    name = name_of(path)
    with zipfile.ZipFile(path) as package:
        files = set(package.namelist())
        manifest = package.read(f"{name}.nuspec").decode()
    wanted = {"README.md", "LICENSE", f"lib/net10.0/{name}.dll", f"lib/net10.0/{name}.xml"}
    check(f"files of {name}", set(), wanted - files)
    libraries = {file for file in files if file.startswith("lib/")}
    check(f"libraries of {name}", {file for file in wanted if file.startswith("lib/")}, libraries)
    dependencies = set(re.findall(r'<dependency id="([^"]*)"', manifest))
    check(f"dependencies of {name}", DEPENDENCIES.get(name), dependencies)
    frameworks = set(re.findall(r'<frameworkReference name="([^"]*)"', manifest))
    check(f"frameworks of {name}", FRAMEWORKS.get(name, set()), frameworks)
    names_both = "<readme>README.md<" in manifest and '"expression">MIT<' in manifest
    check(f"readme and licence named by {name}", True, names_both)


def main():
    folder = Path(sys.argv[1])
    packages = sorted(folder.glob("*.nupkg"))
    check("packages", sorted(DEPENDENCIES), [name_of(path) for path in packages])
    check("symbol packages", sorted(DEPENDENCIES), [name_of(path) for path in sorted(folder.glob("*.snupkg"))])
    for path in packages:
        check_package(path)
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
