#!/usr/bin/env python3
"""Learn the embedded table of weights of the embedded summarizer from logged sessions.

    learn-weights.py [--epitome PROGRAM] FOLDER

FOLDER holds transcripts that `epitome` reads, a file for each kind of sessions: each file weighs the same, so that the
largest does not decide alone. `epitome fit` learns the table, pulled towards the present one, and says on held-out
sessions whether it ranks what was needed better. If it does, src/summary/extract/choose/weights.toml is replaced.
The present table is learnt on sessions of free licence: mini-swe-agent (in two forms), tau2-bench (retail, airline),
tau-bench (airline), Codex, OpenHands. Nothing of the logs is in the table but its numbers.
Three of them are set by hand: `constraint`, `binding` and `around` of lines; a new table needs that decided again.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "src/summary/extract/choose/weights.toml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--epitome", default="epitome", metavar="PROGRAM", help="the program (default: epitome)")
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
        TABLE.write_text(out.read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
