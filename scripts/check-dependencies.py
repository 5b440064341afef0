#!/usr/bin/env python3
"""Checks licences, sources and version requirements of all dependencies against deny.toml, without cargo-deny.

    scripts/check-dependencies.py [--manifest-path FILE]

Prints every violation and ends with status 1 if there is any. Several versions of a crate are only mentioned. `cargo deny check`
checks the same and the advisories besides; it takes some minutes to install, this script needs cargo and Python 3.9 alone.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MIT_BEGINNING = "Permission is hereby granted, free of charge, to any person obtaining a copy"


def list_in(config: str, key: str) -> set[str]:
    """The strings of a list in deny.toml (tomllib needs Python 3.11)."""
    found = re.search(rf"^{key} = \[([^]]*)\]", config, re.MULTILINE)
    if found is None:
        sys.exit(f"deny.toml has no list {key}")
    return set(re.findall(r'"([^"]*)"', re.sub(r"#.*", "", found.group(1))))


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Evaluates an SPDX expression; `/` is the old spelling of OR."""
    tokens = re.findall(r"[()]|[^\s()/]+|/", expression)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def advance():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def alternatives():
        result = conjunction()
        while peek() in ("OR", "/"):
            advance()
            result = conjunction() or result
        return result

    def conjunction():
        result = term()
        while peek() == "AND":
            advance()
            result = term() and result
        return result

    def term():
        token = advance()
        if token == "(":
            result = alternatives()
            advance()
            return result
        if peek() == "WITH":
            advance()
            token = f"{token} WITH {advance()}"
        return token in allowed

    return alternatives()


def licence_of_file(package):
    """Returns MIT if a crate names only the file of its licence, and that is the text of MIT."""
    if not package["license_file"]:
        return None
    path = Path(package["manifest_path"]).parent / package["license_file"]
    text = " ".join(path.read_text(encoding="utf-8").split())
    return "MIT" if MIT_BEGINNING in text else None


def main() -> None:
    config = (ROOT / "deny.toml").read_text(encoding="utf-8")
    licences, registries = list_in(config, "allow"), list_in(config, "allow-registry")
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1", *sys.argv[1:]]
    packages = json.loads(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE).stdout)["packages"]
    violations, versions = [], defaultdict(list)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        versions[package["name"]].append(package["version"])
        licence = package["license"] or licence_of_file(package)
        if not licence or not is_allowed(licence, licences):
            violations.append(f"{name}: the licence {licence!r} is not in deny.toml")
        source = package["source"]
        if source and source.split("+", 1)[-1] not in registries:
            violations.append(f"{name}: the source {source} is not in deny.toml")
        if not source:
            for dependency in package["dependencies"]:
                if dependency["req"] == "*" and dependency["source"]:
                    violations.append(f"{name}: any version of {dependency['name']} is accepted")
    for name, all_versions in sorted(versions.items()):
        if len(all_versions) > 1:
            print(f"note: {name} has several versions: {', '.join(sorted(all_versions))}")
    for violation in violations:
        print(violation, file=sys.stderr)
    if violations:
        sys.exit(1)
    print(f"{len(packages)} packages: licences and sources are as deny.toml allows")


if __name__ == "__main__":
    main()
