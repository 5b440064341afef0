#!/usr/bin/env python3
"""Prints, for every preset, the version that it follows, the newest in the registry, and whether its rule changed.

    scripts/agent-versions.py [PRESET...] [--no-download] [--write]

The table is scripts/agent-versions.tsv: preset, registry (npm or pypi), package, the version that was checked, and what
holds the rule. A package may be followed by `|` and what its version has for a platform. The rule is a file of the
package and its SHA-256, or for a program without source the strings that must be in it (with `|` between them) and
`strings`. npm and pip are asked as they are configured. Packages of the size of a program are loaded, too:
--no-download compares the versions alone. --write takes the newest versions and hashes over, after somebody has read
what changed; the date in src/deciding/policy/presets/preset.rs is set by hand.

The exit status is 1 if a version or a rule is another.
"""
import argparse
import glob
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# The Python that packages are for: some have no version for an older one.
PYTHON = "3.12"
TABLE = pathlib.Path(__file__).with_suffix(".tsv")


def output(*words, folder=None):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def newest(registry, package):
    """Returns the newest version of a package."""
    if registry == "npm":
        return json.loads(output("npm", "view", package.split("|")[0], "version", "--json"))
    words = ["index", "versions", "--python-version", PYTHON, "--only-binary", ":all:", package]
    first = output(sys.executable, "-m", "pip", *words).splitlines()[0]
    return first.split("(")[1].rstrip(")")


def members(registry, package, version, folder):
    """Loads a package. Returns an open archive and the names of its members without the leading folder."""
    if registry == "npm":
        name, _, platform = package.partition("|")
        output("npm", "pack", f"{name}@{version}{platform}", "--silent", folder=folder)
        archive = tarfile.open(glob.glob(f"{folder}/*.tgz")[0])
        return {name.split("/", 1)[-1]: (lambda name=name: archive.extractfile(name)) for name in archive.getnames()}
    words = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--python-version", PYTHON]
    output(sys.executable, "-m", "pip", *words, "-d", folder, f"{package}=={version}")
    archive = zipfile.ZipFile(glob.glob(f"{folder}/*.whl")[0])
    return {name: (lambda name=name: archive.open(name)) for name in archive.namelist()}


def holds(opened, strings):
    """Returns those of some strings that a file does not hold."""
    missing, tail = set(strings), b""
    while block := opened.read(1 << 24):
        window = tail + block
        missing = {text for text in missing if text.encode() not in window}
        tail = window[-200:]
    return missing


def rule_state(files, rule, expected):
    """Returns what became of a rule, and the hash of its file now."""
    if expected == "strings":
        missing = set(rule.split("|"))
        for name, opened in files.items():
            if missing and not name.endswith("/") and (handle := opened()) is not None:
                missing = holds(handle, missing)
        return (f"gone: {', '.join(sorted(missing))}" if missing else "its strings are there"), expected
    if rule not in files:
        return f"{rule} is gone", expected
    found = hashlib.sha256(files[rule]().read()).hexdigest()
    return ("the rule is the same" if found == expected else f"{rule} CHANGED"), found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*")
    parser.add_argument("--no-download", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    head, *rows = [line.rstrip("\n").split("\t") for line in open(TABLE)]
    differs = False
    for row in rows:
        preset, registry, package, version, rule, expected = row
        if arguments.presets and preset not in arguments.presets:
            continue
        if registry == "none":
            print(f"{preset:26}{package}")
            continue
        latest = newest(registry, package)
        state, found = "", expected
        if not arguments.no_download:
            with tempfile.TemporaryDirectory() as folder:
                state, found = rule_state(members(registry, package, latest, folder), rule, expected)
        is_same = latest == version and found == expected and "gone" not in state
        differs |= not is_same
        print(f"{preset:26}{package} {version}, newest {latest}{'; ' + state if state else ''}", flush=True)
        if arguments.write:
            row[3], row[5] = latest, found
    if arguments.write:
        TABLE.write_text("".join("\t".join(row) + "\n" for row in [head, *rows]))
    sys.exit(1 if differs and not arguments.write else 0)


if __name__ == "__main__":
    main()
