#!/usr/bin/env python3
"""Prints what each preset would have sent over logged sessions, as a Markdown table.

    scripts/compare-agents.py target/release/epitome LOGS... [--window 200000] [--counter o200k_base]

All presets replay the same logs with the same window, counter and prices, so that their rows
compare; what a preset decides by another counter of its own is decided by this one. The columns:

- tokens sent: over all calls, and the change against the calls as logged
- cache kept: the share of the tokens sent that the call before sent, too
- cost: with that cache
- largest call
- references kept: the recall of `evaluate`, of summaries and the messages behind them, at cuts of
  each session. Presets that never summarise have none
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def presets(binary):
    """Returns the names of all presets, the default first."""
    lines = run([binary, "presets"]).splitlines()
    return [line.split('"')[1] for line in lines if line.startswith("preset = ")]


def replayed(arguments, preset, folder):
    """Returns the totals of a replay."""
    words = [arguments.binary, "replay", *arguments.logs, "-o", folder, "--policy", preset, "--no-config"]
    words += ["--max-input-tokens", str(arguments.window), "--counter", arguments.counter]
    prices = folder + ".toml"
    fresh, cached = arguments.prices.split(",")
    with open(prices, "w") as file:
        file.write(f'["{arguments.model}"]\ninput = {fresh}\ncached_input = {cached}\noutput = 0\n')
    words += ["--model", arguments.model, "--prices", prices]
    run(words)
    for place, _, files in os.walk(folder):
        if "report.json" in files:
            with open(os.path.join(place, "report.json")) as file:
                return json.load(file)["totals"]
    sys.exit(f"no report of {preset}")


def summarizes(binary, preset):
    """Returns true if a preset has a trigger of its own."""
    lines = run([binary, "presets", preset]).splitlines()
    table = [line for line in lines[lines.index("[summarize]") :] if "trigger = " in line]
    return "trigger = []" not in table[0]


def recall(arguments, preset):
    """Returns the share of later references that a compaction keeps, or None."""
    if not summarizes(arguments.binary, preset):
        return None
    words = [arguments.binary, "evaluate", *arguments.logs, "--preset", preset, "--json", "--no-config"]
    words += ["--counter", arguments.counter]
    rows = json.loads(run(words))["rows"]
    found = [row["figures"]["recall"] for row in rows if row["figures"].get("recall")]
    if len(rows) > 1:
        found = found[-1:]
    return found[0]["share"] if found else None


def percent(share):
    return "-" if share is None else f"{100 * share:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--window", type=int, default=200000, help="input limit of the model, in tokens")
    parser.add_argument("--counter", default="o200k_base")
    parser.add_argument("--model", default="anthropic:claude-sonnet-4-5")
    parser.add_argument("--prices", default="3.0,0.3", help="US dollars per million tokens of input, and of cached input")
    arguments = parser.parse_args()
    print(f"{datetime.date.today()}, {run([arguments.binary, '--version']).strip()}: window {arguments.window:,}, counter {arguments.counter}\n")
    print("| preset | tokens sent | change | cache kept | cost | largest call | compactions | references kept |")
    print("|---|---|---|---|---|---|---|---|")
    for number, preset in enumerate(presets(arguments.binary)):
        with tempfile.TemporaryDirectory() as folder:
            totals = replayed(arguments, preset, os.path.join(folder, "out"))
        if number == 0:
            print(row("(as logged)", totals["logged"], totals["largest_logged"], totals["cost"]["logged"], None, "-", None))
        kept = recall(arguments, preset)
        before = totals["logged"]["tokens"]
        print(row(preset, totals["sent"], totals["largest_call"], totals["cost"]["sent"], before, totals["compactions"], kept), flush=True)


def row(name, sums, largest, cost, before, compactions, kept):
    tokens = sums["tokens"]
    change = "" if before is None else f"{100 * (tokens - before) / before:+.1f} %".replace("-", "\u2212")
    dollars = cost["cached"] if cost["cached"] is not None else cost["uncached"]
    cells = [name, f"{tokens:,}", change, percent(sums["cached"] / max(tokens, 1)), f"${dollars:,.2f}"]
    cells += [f"{largest or 0:,}", str(compactions), "" if before is None else percent(kept)]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
