#!/usr/bin/env python3
"""Prints what each mechanism of the embedded summarizer wins: the figures without it, beside those with all.

    scripts/ablate.py [--tokens 512,256] [--rules Calls,Records] [--epitome PATH] DATA...

DATA are files or directories of sessions, as `epitome evaluate` reads them; each gets a table. A share is that of the
complete data; the change without the rule stands in hundredths, and a mechanism that wins nothing anywhere can go.
Without --epitome a release with the feature `benching` is built, the only build that can switch mechanisms off.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES_SOURCE = ROOT / "src/summary/extract/mechanisms/mod.rs"
FIGURES = ["recall", "linked", "user", "errors", "files", "joined", "goal_first60", "goal_last60", "used", "false_reads"]


def all_rules():
    body = RULES_SOURCE.read_text().split("pub(crate) enum Mechanism {")[1].split("\n}")[0]
    return re.findall(r"^    (\w+),$", body, re.M)


def build():
    subprocess.run(["cargo", "build", "--locked", "--release", "--features", "benching"], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "release/epitome")


def figures(epitome, data, tokens, rule):
    command = [epitome, "evaluate", "--json", "--counter", "o200k_base", "--summary-tokens", tokens, data]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "EPITOME_ABLATE": rule})
    if run.returncode not in (0, 1) or not run.stdout:
        sys.exit(f"ablate.py: {' '.join(command)}: {run.stderr.strip()}")
    # The last row holds all data together.
    return json.loads(run.stdout)["rows"][-1]["figures"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--tokens", default="512,256")
    parser.add_argument("--rules", default=",".join(all_rules()))
    parser.add_argument("--epitome")
    options = parser.parse_args()
    epitome = options.epitome or build()
    for data in options.data:
        for tokens in options.tokens.split(","):
            with_all = figures(epitome, data, tokens, "")
            shown = [name for name in FIGURES if with_all[name]["share"] is not None]
            print(f"\n{data}, {tokens} tokens")
            print("".join([f"{'':18}"] + [f"{name:>13}" for name in shown]))
            print("".join([f"{'all rules':18}"] + [f"{with_all[name]['share']:>13.3f}" for name in shown]))
            for rule in options.rules.split(","):
                without = figures(epitome, data, tokens, rule)
                changes = [
                    "-" if without[name]["share"] is None else f"{100 * (without[name]['share'] - with_all[name]['share']):+.1f}"
                    for name in shown
                ]
                print("".join([f"{'- ' + rule:18}"] + [f"{change:>13}" for change in changes]), flush=True)


if __name__ == "__main__":
    main()
