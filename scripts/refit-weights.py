#!/usr/bin/env python3
"""Learn the weights of the embedded summarizer's references from logged sessions.

    refit-weights.py [--epitome PROGRAM] [--check] PATH...

Each PATH is a file or folder of transcripts that `epitome` reads, and counts as one data set: name several, so that
the largest does not decide alone. `epitome evaluate --references` writes every identifier of every cut with what is
known of it and whether the future needed it; a logistic regression learns how likely that is, pulled towards the
weights that are there: few sessions must not undo what others taught. Every data set weighs the same. Printed are the constants for src/summary/extract/facts/weights.rs, in its order, and,
with --check, how well weights learnt without a data set rank what that data set needed: the share of needed
references among the first 40 of a cut. Weights that only do well where they were learnt are not worth keeping.
"""
from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WEIGHTS = Path(__file__).resolve().parent.parent / "src/summary/extract/facts/weights.rs"
PULL = 100.0  # towards the present weights; see --check before lowering it
LEAST_NEEDED = 200  # a data set with fewer needed references weighs less, in proportion
FIRST = 40  # references that a summary of some hundred tokens has room for


class Data:
    """The references of one data set."""

    def __init__(self, name: str, names: list[str], lines: list[str]) -> None:
        rows = [json.loads(line) for line in lines]
        self.name = name
        self.x = np.array([[row["features"].get(key, 0.0) for key in names] for row in rows], dtype=float).reshape(len(rows), len(names))
        self.needed = np.array([row["needed"] for row in rows], dtype=float)
        self.cuts = np.unique([f"{row['thread_id']} {row['cut']}" for row in rows], return_inverse=True)[1]
        self.cost = np.array([0.5 * np.log1p(row["bytes"] // 4) for row in rows])


def in_source() -> tuple[list[str], np.ndarray]:
    """The features and their present weights, with a constant term that belongs to no feature."""
    text = WEIGHTS.read_text(encoding="utf-8")
    # However the list is broken into lines, and whatever is said beside its entries.
    part = lambda name: re.sub(r"//.*", "", re.search(name + r": [^=]*=\s*\[(.*?)\];", text, re.DOTALL)[1])
    names = re.findall(r'"(\w+)"', part("NAMES"))
    weights = [int(value) for value in re.findall(r"-?\d+", part("WEIGHTS"))]
    if len(names) != len(weights):
        sys.exit(f"refit-weights.py: {WEIGHTS} names {len(names)} features and has {len(weights)} weights")
    return names, np.array([*weights, -5769]) / 1000


def observe(program: str, path: str, names: list[str]) -> Data:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "references.jsonl"
        run = subprocess.run([program, "evaluate", path, "--quiet", "--max-errors", "all", "--references", str(out)], stdout=subprocess.DEVNULL)
        if run.returncode:
            sys.exit(f"refit-weights.py: {program} evaluate {path} ended with {run.returncode}")
        return Data(path, names, out.read_text(encoding="utf-8").splitlines())


def fit(data: list[Data], present: np.ndarray) -> np.ndarray:
    """The weights, the constant term last. Newton's method; nothing pulls at the constant."""
    x = np.vstack([np.hstack([d.x, np.ones((len(d.x), 1))]) for d in data])
    y = np.concatenate([d.needed for d in data])
    weight = np.concatenate([np.full(len(d.x), 1000.0 / max(LEAST_NEEDED, d.needed.sum())) for d in data])
    pull = PULL * np.eye(x.shape[1])
    pull[-1, -1] = 1e-6
    w = present.copy()
    for _ in range(60):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        step = np.linalg.solve((x.T * (weight * p * (1 - p) + 1e-9)) @ x + pull, x.T @ (weight * (p - y)) + pull @ (w - present))
        w -= step
        if abs(step).max() < 1e-6:
            break
    return w


def ranked_first(data: Data, w: np.ndarray) -> float:
    """The share of what was needed that stands among the first of its cut."""
    score = data.x @ w[:-1] - data.cost
    found = needed = 0.0
    for cut in range(data.cuts.max(initial=-1) + 1):
        own = np.flatnonzero(data.cuts == cut)
        best = own[np.argsort(-score[own], kind="stable")[:FIRST]]
        found += data.needed[best].sum()
        needed += data.needed[own].sum()
    return found / max(1.0, needed)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("paths", metavar="PATH", nargs="+")
    ap.add_argument("--epitome", default="epitome", metavar="PROGRAM", help="the program (default: epitome)")
    ap.add_argument("--check", action="store_true", help="also leave out each data set in turn")
    args = ap.parse_args()
    names, present = in_source()
    data = [d for d in (observe(args.epitome, path, names) for path in args.paths) if d.needed.sum() > 0]
    if not data:
        sys.exit("refit-weights.py: no session in these paths goes on long enough to need anything")
    w = fit(data, present)
    print("pub(super) const WEIGHTS: Features =")
    print(f"    [{', '.join(str(round(value * 1000)) for value in w[:-1])}];")
    if args.check:
        for held_out in data:
            others = [d for d in data if d is not held_out]
            shares = [ranked_first(held_out, weights) for weights in (present, w, fit(others, present) if others else present)]
            print(f"{held_out.name}: {int(held_out.needed.sum())} needed; among the first {FIRST} with the present weights", end=" ", file=sys.stderr)
            print("{:.3f}, refitted {:.3f}, refitted without it {:.3f}".format(*shares), file=sys.stderr)


if __name__ == "__main__":
    main()
