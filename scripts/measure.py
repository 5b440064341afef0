#!/usr/bin/env python3
"""Run a command several times and say what it cost.

    measure.py [--runs N] [--input FILE] [--stdout FILE] [--fresh PATH]... -- COMMAND [ARGUMENT...]
    measure.py --table RESULTS.jsonl

Prints median, minimum and maximum of CPU seconds (user + system, children included) and of wall seconds,
peak resident memory, and MB of input per CPU second. MB is 10^6 bytes.

Peak memory comes from GNU time where it is installed. Elsewhere it comes from getrusage,
which cannot show less than this Python process itself needs (about 15 MB).
"""
from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MB = 1e6
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes


def gnu_time() -> str | None:
    """The path of GNU time, if there is one that knows `-f`."""
    for name in ("time", "gtime"):
        path = shutil.which(name)
        if path and subprocess.run([path, "-f", "%M", "true"], capture_output=True).returncode == 0:
            return path
    return None


def put_aside(path: Path) -> None:
    """Make room for a new run. Nothing is deleted: for minutes, ext4 looks twice at each place that was deleted
    before a new file takes it, which would be charged to the next run. What is put aside is emptied."""
    if not path.exists():
        return
    aside = next(place for number in itertools.count(1) if not (place := path.with_name(f"{path.name}.{number}")).exists())
    path.rename(aside)
    for file in [aside] if aside.is_file() else [file for file in aside.rglob("*") if file.is_file() and not file.is_symlink()]:
        os.truncate(file, 0)


def run_once(command: list[str], stdout: Path | None, timer: str | None) -> dict[str, float]:
    with tempfile.NamedTemporaryFile("r", prefix="measure-") as peak:
        wrapped = [timer, "-q", "-f", "%M", "-o", peak.name, *command] if timer else command
        out = open(stdout, "wb") if stdout else None
        try:
            start = time.perf_counter()
            child = subprocess.Popen(wrapped, stdin=subprocess.DEVNULL, stdout=out)
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
        finally:
            if out:
                out.close()
        child.returncode = os.waitstatus_to_exitcode(status)
        seen = peak.read().split() if timer else []
    rss = int(seen[-1]) * 1024 if seen and seen[-1].isdigit() else usage.ru_maxrss * MAXRSS_UNIT
    return {"cpu_s": usage.ru_utime + usage.ru_stime, "wall_s": wall, "peak_mb": rss / MB, "status": child.returncode}


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(args: argparse.Namespace) -> int:
    timer = gnu_time()
    runs = []
    for _ in range(args.runs):
        for path in args.fresh:
            put_aside(path)
        runs.append(run_once(args.command, args.stdout, timer))
        status = int(runs[-1]["status"])
        if status:
            print(f"measure.py: exit status {status} from: {' '.join(args.command)}", file=sys.stderr)
            return 1
    result: dict[str, Any] = {"label": args.label or " ".join(args.command), "runs": args.runs}
    result |= {name: spread([r[name] for r in runs]) for name in ("cpu_s", "wall_s", "peak_mb")}
    line = f"{result['label']}: "
    line += ", ".join(f"{what} {result[k]['median']:.3f} ({result[k]['min']:.3f} to {result[k]['max']:.3f})" for k, what in (("cpu_s", "CPU s"), ("wall_s", "wall s")))
    line += f", peak {result['peak_mb']['max']:.1f} MB"
    if args.input:
        result["mb"] = sum(p.stat().st_size for p in args.input) / MB
        result["mb_per_cpu_s"] = result["mb"] / max(result["cpu_s"]["median"], 1e-6)
        line += f", {result['mb_per_cpu_s']:.1f} MB per CPU s"
    print(line, file=sys.stderr if args.append else sys.stdout)
    if args.report:
        statuses = [t["status"] for t in json.loads(args.report.read_bytes())["transcripts"]]
        result["transcripts"] = len(statuses)
        result["changed"] = statuses.count("compacted")
        result["failed"] = statuses.count("failed")
        if result["failed"]:
            print(f"measure.py: {result['failed']} transcripts failed", file=sys.stderr)
    if args.append:
        with open(args.append, "a", encoding="utf-8") as out:
            out.write(json.dumps(result) + "\n")
    return 0


def table(path: Path) -> int:
    """The results of several commands over one input as a Markdown table. The first one is the yardstick."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    heads = ["command", "transcripts changed", "MB", "CPU s", "MB per CPU s", f"CPU s, {rows[0]['label'].split()[0].strip('`')} = 1", "wall s", "peak memory MB"]
    print("| " + " | ".join(heads) + " |")
    print("|---" + "|---:" * (len(heads) - 1) + "|")
    for row in rows:
        changed = f"{row['changed']} of {row['transcripts']}" if "changed" in row else "-"
        cpu = row["cpu_s"]["median"]
        cells = [row["label"], changed, f"{row['mb']:.1f}", f"{cpu:.3f}", f"{row['mb_per_cpu_s']:.1f}", f"{cpu / max(rows[0]['cpu_s']['median'], 1e-6):.1f}"]
        cells += [f"{row['wall_s']['median']:.3f}", f"{row['peak_mb']['max']:.1f}"]
        print("| " + " | ".join(cells) + " |")
    return 0


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--runs", type=int, default=3, metavar="N", help="how often to run the command (default: 3)")
    ap.add_argument("--input", type=Path, action="append", default=[], metavar="FILE", help="what the command reads; its size gives MB per CPU second")
    ap.add_argument("--stdout", type=Path, metavar="FILE", help="where the command's standard output goes")
    ap.add_argument("--fresh", type=Path, action="append", default=[], metavar="PATH", help="put this file or directory aside, emptied, before each run")
    ap.add_argument("--label", help="name of the command in the table")
    ap.add_argument("--report", type=Path, metavar="FILE", help="report.json of the last run, to count what changed")
    ap.add_argument("--append", type=Path, metavar="FILE", help="add the result to this JSONL file")
    ap.add_argument("--table", type=Path, metavar="FILE", help="print the results of such a file as a Markdown table, and end")
    ap.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    args = ap.parse_args()
    if args.table:
        return table(args.table)
    if args.command[:1] == ["--"]:
        del args.command[0]
    if not args.command:
        ap.error("no command given")
    if args.runs < 1:
        ap.error("--runs must be at least 1")
    try:
        return measure(args)
    except FileNotFoundError as error:
        print(f"measure.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
