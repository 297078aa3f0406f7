"""usage: packages.py FOLDER — checks the packages there: which they are, what they hold, what they depend on, how large
they are.
"""

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
    "Cache.Durability": {
        "Cache.Core",
        "Microsoft.Extensions.Hosting.Abstractions",
        "Microsoft.Extensions.Logging.Abstractions",
    },
    "Cache.Protocol": set(),
    "Cache.Client": {"Cache.Protocol"},
    "Cache.Near": {
        "Cache.Client",
        "Cache.Core",
        "Cache.Protocol",
        "Microsoft.Extensions.Diagnostics.HealthChecks",
        "Microsoft.Extensions.Hosting.Abstractions",
    },
    "Cache.Server": {
        "Cache.Core",
        "Cache.Durability",
        "Cache.Protocol",
        "Microsoft.Extensions.Logging.Abstractions",
    },
    "Cache.Scripting": {"Cache.Core", "Cache.Protocol", "Cache.Server", "KeraLua"},
    "Cache.Hosting": {
        "Cache.Durability",
        "Cache.Server",
        "Microsoft.Extensions.Diagnostics.HealthChecks",
        "Microsoft.Extensions.Hosting.Abstractions",
    },
    "Cache.AspNetCore": {"Cache.Core"},
    "Cache.Dashboard": {"Cache.Core", "Cache.Server"},
}

# A package that is a command: it holds what it runs, and depends on nothing.
TOOLS = {
    "Cache.Tool": {
        "Cache.Core",
        "Cache.Durability",
        "Cache.Protocol",
        "Cache.Server",
        "Cache.Scripting",
        "Cache.Hosting",
        "Cache.Dashboard",
    }
}

# A package needs these of the machine.
FRAMEWORKS = {
    "Cache.AspNetCore": {"Microsoft.AspNetCore.App"},
    "Cache.Dashboard": {"Microsoft.AspNetCore.App"},
}

# The page that says how large they are, and how far from that one may be: the machine that compresses has a say in it.
SIZES = Path("docs/in-process.md")
SIZE_TOLERANCE = 0.25

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


def check_readme(name, text, manifest):
    page = Path(f"src/{name}/README.md").read_text()
    url = re.search(r"<projectUrl>(.*?)/?</projectUrl>", manifest)[1]
    check(f"readme of {name}", page.replace("https://cache.invalid", url).strip(), text.strip())
    links = re.findall(r"\]\(([^)]*)\)", text)
    check(f"absolute links of {name}", [], [link for link in links if not link.startswith("https://")])


# A member's name with the type that has it, without what a generic one is of.
def check_documentation(name, text):
    lines = Path(f"src/{name}/PublicApi.txt").read_text().splitlines()
    kinds = r"(?:class|struct|record|enum|interface|delegate \S+) ([\w.]+)"
    types = {re.search(kinds, line)[1] for line in lines if line[0] != " "}
    surface = "\n".join(lines)
    documented = re.findall(r'<member name="(\w):([^"(`]*)', text)
    check(f"documented types of {name}", types, {member for kind, member in documented if kind == "T"})
    others = [
        member
        for kind, member in documented
        if kind != "T" and member.replace("#ctor", member.split(".")[-2]) not in surface
    ]
    check(f"documentation of {name} that is of internals", [], others)


def check_size(name, size):
    row = re.search(rf"^\| `{re.escape(name)}` .*\| ([\d,]+) \|$", SIZES.read_text(), re.MULTILINE)
    printed = int(row[1].replace(",", "")) * 1000
    is_near = abs(size - printed) <= SIZE_TOLERANCE * printed
    check(f"size of {name}, {size} bytes, printed as {printed} in {SIZES}", True, is_near)


def check_tool(name, files, manifest):
    check(f"type of {name}", True, '<packageType name="DotnetTool"' in manifest)
    ours = {Path(file).stem for file in files if re.match(r"tools/net10\.0/any/Cache\.[^/]*\.dll$", file)}
    check(f"libraries of {name}", TOOLS[name] | {name}, ours)
    texts = {file for file in files if file.startswith("tools/") and file.endswith(".xml")}
    check(f"texts in {name}", {"tools/net10.0/any/DotnetToolSettings.xml"}, texts)


def check_package(path):
    name = name_of(path)
    with zipfile.ZipFile(path) as package:
        files = set(package.namelist())
        manifest = package.read(f"{name}.nuspec").decode()
        check_readme(name, package.read("README.md").decode(), manifest)
        if name not in TOOLS:
            check_documentation(name, package.read(f"lib/net10.0/{name}.xml").decode())
    check_size(name, path.stat().st_size)
    check(f"files of {name}", set(), {"README.md", "LICENSE", "icon.png"} - files)
    if name in TOOLS:
        check_tool(name, files, manifest)
    else:
        libraries = {f"lib/net10.0/{name}.dll", f"lib/net10.0/{name}.xml"}
        check(f"libraries of {name}", libraries, {file for file in files if file.startswith("lib/")})
    dependencies = set(re.findall(r'<dependency id="([^"]*)"', manifest))
    check(f"dependencies of {name}", DEPENDENCIES.get(name, set()), dependencies)
    frameworks = set(re.findall(r'<frameworkReference name="([^"]*)"', manifest))
    check(f"frameworks of {name}", FRAMEWORKS.get(name, set()), frameworks)
    names_both = "<readme>README.md<" in manifest and '"expression">MIT<' in manifest
    check(f"readme and licence named by {name}", True, names_both)
    for element in ("icon", "projectUrl", "releaseNotes", "description"):
        check(f"{element} of {name}", True, re.search(rf"<{element}>[^<]+<", manifest) is not None)
    check(f"repository of {name}", True, re.search(r'<repository type="git" url="http', manifest) is not None)


def main():
    folder = Path(sys.argv[1])
    packages = sorted(folder.glob("*.nupkg"))
    names = sorted([*DEPENDENCIES, *TOOLS])
    check("packages", names, [name_of(path) for path in packages])
    check("symbol packages", names, [name_of(path) for path in sorted(folder.glob("*.snupkg"))])
    for path in packages:
        check_package(path)
    print(f"{checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
