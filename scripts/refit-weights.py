#!/usr/bin/env python3
"""Learn the weights of the embedded summarizer's references from logged sessions.

    refit-weights.py [--epitome PROGRAM] [--records] [--check] PATH...

Each PATH is a file or folder of transcripts that `epitome` reads, and counts as one data set: name several, so that
the largest does not decide alone. `epitome evaluate --references` writes every identifier of every cut with what is
known of it and whether the future needed it. The fit asks, cut by cut, which of its references were needed: a fit over
all references together learns how kinds of sessions differ, which does not help to rank the references of one. It is
pulled towards half of the published weights: few sessions must not undo what others taught. Every data set weighs the
same. Printed are the constants for src/summary/extract/facts/weights.rs, in its order: the mean of the fit and of the
present weights. With --check, also how well weights learnt without a data set rank what that data set needed: the share
of needed references among the first 40 of a cut. Weights that only do well where they were learnt are not worth keeping.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

WEIGHTS = Path(__file__).resolve().parent.parent / "src/summary/extract/facts/weights.rs"
PULL = 100.0  # towards half of the published weights; see --check before lowering it
MOST_NEEDED = 20  # needed references of a cut beyond these weigh no more
LEAST_NEEDED = 60  # a data set with fewer needed references weighs less, in proportion
FIRST = 40  # references that a summary of some hundred tokens has room for
# Learnt on 243 sessions of tau-bench, SWE-agent and OpenHands, with the weight of `crowded` from a study of coding agents.
PUBLISHED = {
    "seen": -0.43, "recency": 1.577, "in_call": 0.783, "in_user": 0.075, "in_assistant": 0.755, "in_result": 0.591,
    "messages": -0.46, "result_only": -0.575, "path": 1.058, "code": 1.01, "number": -0.566, "quoted": 1.487,
    "in_last_4": 1.201, "length": -3.592, "linked": 0.047, "linked_used": 0.989, "crowded": -5.2,
}


class Data:
    """The references of one data set."""

    def __init__(self, name: str, names: list[str], lines: list[str]) -> None:
        rows = [json.loads(line) for line in lines]
        self.name = name
        self.x = np.array([[row["features"].get(key, 0.0) for key in names] for row in rows], dtype=float).reshape(len(rows), len(names))
        self.needed = np.array([row["needed"] for row in rows], dtype=float)
        self.cuts = np.unique([f"{row['thread_id']} {row['cut']}" for row in rows], return_inverse=True)[1]
        self.cost = np.array([0.5 * np.log1p(row["bytes"] // 4) for row in rows])


def in_source(kind: str) -> tuple[list[str], np.ndarray]:
    """The features and their present weights."""
    # However the lists are broken into lines, and whatever is said beside their entries.
    text = re.sub(r"//.*", "", WEIGHTS.read_text(encoding="utf-8"))
    names = re.findall(r'"(\w+)"', re.search(r"FEATURE_NAMES: [^=]*= \[(.*?)\];", text, re.DOTALL)[1])
    present = re.search(kind + r"_WEIGHTS: .*?features: \[(.*?)\]", text, re.DOTALL)
    weights = [int(value) for value in re.findall(r"-?\d+", present[1])]
    if len(names) != len(weights):
        sys.exit(f"refit-weights.py: {WEIGHTS} names {len(names)} features and has {len(weights)} weights")
    return names, np.array(weights) / 1000


def observe(program: str, path: str, names: list[str]) -> Data:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "references.jsonl"
        run = subprocess.run([program, "evaluate", path, "--quiet", "--max-errors", "all", "--references", str(out)], stdout=subprocess.DEVNULL)
        if run.returncode:
            sys.exit(f"refit-weights.py: {program} evaluate {path} ended with {run.returncode}")
        return Data(path, names, out.read_text(encoding="utf-8").splitlines())


def fit(data: list[Data], published: np.ndarray) -> np.ndarray:
    """The weights that tell the needed references of a cut from its others. Newton's method."""
    cuts = []
    for d in data:
        each = [(d.x[own], d.needed[own]) for own in (np.flatnonzero(d.cuts == cut) for cut in range(d.cuts.max() + 1))]
        each = [(x, y, min(MOST_NEEDED, y.sum())) for x, y in each if y.any()]
        share = 100.0 / max(LEAST_NEEDED, sum(most for _, _, most in each))
        cuts += [(x, y, share * most / y.sum()) for x, y, most in each]
    pulled = published / 2
    w = pulled.copy()
    for _ in range(60):
        gradient, hessian = PULL * (w - pulled), PULL * np.eye(len(w))
        for x, y, weight in cuts:
            score = x @ w
            p = np.exp(score - score.max())
            p /= p.sum()
            mean = p @ x
            gradient -= weight * (y @ x - y.sum() * mean)
            hessian += weight * y.sum() * ((x.T * p) @ x - np.outer(mean, mean))
        step = np.linalg.solve(hessian, gradient)
        w -= step
        if abs(step).max() < 1e-6:
            break
    return w


def fit_base(data: list[Data], w: np.ndarray) -> float:
    """The constant with which the probabilities add up to the needed references."""
    score = np.concatenate([d.x @ w for d in data])
    needed = np.concatenate([d.needed for d in data])
    weight = np.concatenate([np.full(len(d.needed), 1.0 / len(d.needed)) for d in data])
    base = -4.0
    for _ in range(60):
        p = 1 / (1 + np.exp(-(score + base)))
        base -= (weight @ (p - needed)) / (weight @ (p * (1 - p)))
    return base


def ranked_first(data: Data, w: np.ndarray) -> float:
    """The share of what was needed that stands among the first of its cut."""
    score = data.x @ w - data.cost
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
    ap.add_argument("--records", action="store_true", help="the weights of conversations whose results are records")
    ap.add_argument("--check", action="store_true", help="also leave out each data set in turn")
    args = ap.parse_args()
    names, present = in_source("RECORD" if args.records else "PROSE")
    published = np.array([PUBLISHED.get(name, 0.0) for name in names])
    data = [d for d in (observe(args.epitome, path, names) for path in args.paths) if d.needed.sum() > 0]
    if not data:
        sys.exit("refit-weights.py: no session in these paths goes on long enough to need anything")
    w = fit(data, published)
    mean = (w + present) / 2
    print(f"    features: [{', '.join(str(round(value * 100) * 10) for value in mean)}],")
    print(f"    base: {round(fit_base(data, mean) * 100) * 10},")
    if args.check:
        for held_out in data:
            others = [d for d in data if d is not held_out]
            shares = [ranked_first(held_out, weights) for weights in (present, w, fit(others, published) if others else published)]
            print(f"{held_out.name}: {int(held_out.needed.sum())} needed; among the first {FIRST} with the present weights", end=" ", file=sys.stderr)
            print("{:.3f}, fitted {:.3f}, fitted without it {:.3f}".format(*shares), file=sys.stderr)


if __name__ == "__main__":
    main()
