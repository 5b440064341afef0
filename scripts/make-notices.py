#!/usr/bin/env python3
"""Writes THIRD-PARTY-LICENSES.txt: the licences of all crates that are linked into the program, and of its data.

Usage: scripts/make-notices.py [--check]

The crates are those of every platform and feature, without the ones that only build or test. Equal
texts stand once, with the crates that they belong to. With --check nothing is written, and the
status is 1 if the file is not what would be written.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD-PARTY-LICENSES.txt"
PREFIXES = ("licen", "copying", "notice", "copyright", "unlicense")
RULE = "-" * 100 + "\n"
HEAD = """The program epitome is made with the crates below. Each is listed with its licence as its author
states it and its home; the texts that the crates carry follow.

"""

# Whose data the program holds, and where.
DATA = {
    "models.dev, Copyright (c) 2025 spin.dev": "limits of models (src/deciding/model/limits.tsv)",
    "LangChain, Copyright (c) Harrison Chase": "limits of models (src/deciding/model/limits.tsv)",
    "genai-prices, Copyright (c) Pydantic Services Inc. 2025 to present": "prices of models (src/deciding/model/prices.tsv)",
}
MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""


def linked_packages():
    """Returns the metadata of the crates that the program links, by name and version."""
    tree = ["cargo", "tree", "--locked", "--edges", "normal,no-proc-macro", "--target", "all", "--all-features"]
    lines = run([*tree, "--prefix", "none", "--format", "{p}"]).splitlines()
    wanted = {tuple(line.split()[:2]) for line in lines if line.strip()}
    metadata = json.loads(run(["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]))
    packages = [package for package in metadata["packages"] if package["source"]]
    linked = [package for package in packages if (package["name"], "v" + package["version"]) in wanted]
    return sorted(linked, key=lambda package: (package["name"], package["version"]))


def run(command):
    return subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def licence_texts(package):
    """Returns the licence texts in a crate, in the order of their names."""
    folder = Path(package["manifest_path"]).parent
    files = [path for path in sorted(folder.iterdir()) if path.name.lower().startswith(PREFIXES)]
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name.lower() in ("licenses", "license"):
            files += sorted(path.iterdir())
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file()]
    return ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in texts]


def render_notices(packages):
    rows = [f"{name_of(package)}: {package['license'] or 'see ' + package['license_file']} ({package['repository'] or 'no home stated'})\n" for package in packages]
    owners = defaultdict(list)
    for package in packages:
        for text in licence_texts(package):
            if name_of(package) not in owners[text]:
                owners[text].append(name_of(package))
    sections = [RULE + "of " + ", ".join(names) + "\n" + RULE + text + "\n\n" for text, names in owners.items()]
    data = [f"{owner} (MIT): {what}\n" for owner, what in DATA.items()]
    data = RULE + "of the data in the program\n" + RULE + "".join(data) + "\n" + MIT
    return HEAD + "".join(rows) + "\n" + "".join(sections) + data


def name_of(package):
    return f"{package['name']} {package['version']}"


def main():
    notices = render_notices(linked_packages())
    if sys.argv[1:] == ["--check"]:
        if not NOTICES.is_file() or NOTICES.read_text(encoding="utf-8") != notices:
            sys.exit(f"{NOTICES.name} is not current: run scripts/make-notices.py")
        print(f"{NOTICES.name} is current")
        return
    NOTICES.write_text(notices, encoding="utf-8")


if __name__ == "__main__":
    main()
