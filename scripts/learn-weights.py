#!/usr/bin/env python3
"""Learn the embedded table of weights of the embedded summarizer from logged sessions.

    learn-weights.py [--epitome PROGRAM] [--table FILE] FOLDER

FOLDER holds transcripts that `epitome` reads, a file for each kind of sessions: each file weighs the same, so that the
largest does not decide alone. `epitome fit` learns the table, pulled towards the present one, and says on held-out
sessions whether it ranks what was needed better. If it does, src/summary/extract/choose/weights.toml is replaced (or FILE,
to look at what would be learnt).
The present table is learnt on sessions of free licence: mini-swe-agent (in two forms), tau2-bench (retail, airline),
tau-bench (airline), Codex, OpenHands. Nothing of the logs is in the table but its numbers.
Four of them are set by hand and stay: `constraint`, `binding` and `around` of lines, because what is used later does not
tell which limits hold, and `newest_of_kind`, by questions of readers.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "src/summary/extract/choose/weights.toml"
SET_BY_HAND = ["constraint", "binding", "around", "newest_of_kind"]


def with_hand_set(learnt: str, present: str) -> str:
    """The learnt table with the numbers of lines that are set by hand in the present one."""
    lines = learnt.index("[lines]")
    head, tail = learnt[:lines], learnt[lines:]
    for name in SET_BY_HAND:
        row = re.compile(rf"^{name} = .*$", re.MULTILINE)
        kept = row.search(present, present.index("[lines]"))
        if not kept or not row.search(tail):
            sys.exit(f"learn-weights.py: no {name} in [lines]")
        tail = row.sub(kept[0], tail, count=1)
    return head + tail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--epitome", default="epitome", metavar="PROGRAM", help="the program (default: epitome)")
    parser.add_argument("--table", type=Path, default=TABLE, metavar="FILE", help="the table to write (default: the embedded one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "weights.toml"
        command = [options.epitome, "fit", options.folder, "-o", str(out), "--max-errors", "all", "--quiet"]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        print(run.stdout, end="")
        if run.returncode:
            sys.exit(f"learn-weights.py: {' '.join(command)} ended with {run.returncode}")
        if "no better" in run.stdout or "too few" in run.stdout:
            sys.exit("learn-weights.py: the present table stays")
        # The first line says how many sessions the table is from, which would be a diff for nothing.
        learnt = out.read_text(encoding="utf-8").split("\n", 1)[1]
        options.table.write_text(with_hand_set(learnt, TABLE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
