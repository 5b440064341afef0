#!/usr/bin/env python3
"""Mutates logs of every format and holds the program to its promises on each of them.

Usage: scripts/fuzz-program.py PROGRAM [FOLDER...] [--seconds N | --logs N] [--seed N] [--keep DIR]

The logs are the inputs below fixtures/, or the files of the folders named. A mutated log has
records with keys dropped, doubled, renamed or filled with values of other records, and bytes cut
or changed. For each the program must

- end by itself in time, with status 0, 1 or 3, and without a panic,
- write the same bytes with one thread and with two,
- compact what `plan` said,
- give every input back exactly with `restore`,
- leave the lines of unchanged transcripts as they are,
- read its output as the format that the input had.

A log that breaks a promise is saved below --keep (default: fuzz-findings), with the command. The
script ends with status 1 if there is any. One seed makes the same logs in the same order.
"""

import argparse
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 60
MAX_BYTES = 300_000
STATUSES = {0, 1, 3}
POLICIES = [
    [],
    ["--trigger", "messages=1", "--keep", "messages=1"],
    ["--trigger", "messages=4", "--keep", "messages=2"],
    ["--trigger", "tokens=40", "--keep", "tokens=20"],
    ["--preset", "opencode"],
    ["--preset", "langchain", "--trigger", "messages=3", "--keep", "messages=1"],
]
# One of these runs on each log beside plan, compact and restore.
OTHER_COMMANDS = [
    ["count"],
    ["count", "--json"],
    ["evaluate", "--trigger", "messages=1"],
    ["audit"],
    ["convert", "--to", "openai", "-o", "converted"],
    ["convert", "--to", "anthropic", "-o", "converted"],
    ["convert", "--to", "sharegpt", "-o", "converted"],
    ["replay", "-o", "replayed", "--trigger", "messages=3", "--keep", "messages=1"],
    ["compact", "--redact", "-o", "masked", "--trigger", "messages=1", "--keep", "messages=1"],
]
STRANGE_VALUES = [
    None, True, 0, -1, 1e300, 2**70, "", " ", "\u0000", "\ud800", "\u202e", "\x1b[2J", "x" * 5000,
    [], {}, [[]], [None], {"": ""}, {"type": "text"}, {"type": "text", "text": None}, "user", "tool",
    "assistant", "system", "tool_use", "tool_result", "function_call", "../../etc/passwd", "call_1",
]  # fmt: skip


class BrokenPromise(Exception):
    """A promise that the program did not keep."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path, default=[ROOT / "fixtures"])
    bound = parser.add_mutually_exclusive_group()
    bound.add_argument("--seconds", type=float, default=60)
    bound.add_argument("--logs", type=int, default=None, help="end after this many logs, not after a time")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("fuzz-findings"))
    return parser.parse_args()


def read_corpus(folders):
    """Returns the name and the bytes of every log below the folders."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    logs = [path for path in paths if path.is_file() and path.suffix in {".json", ".jsonl", ".ndjson"}]
    if folders == [ROOT / "fixtures"]:
        logs = [path for path in logs if path.name.startswith("input.")]
    return [(path.name, path.read_bytes()) for path in logs if path.stat().st_size <= MAX_BYTES]


def nested_containers(value):
    """Returns all objects and lists of a JSON value, outermost first."""
    found = [value] if isinstance(value, (dict, list)) else []
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return found + [container for child in children for container in nested_containers(child)]


def mutate_object(rng, target, donors):
    """Changes one entry of an object."""
    if not target:
        target["role"] = rng.choice(STRANGE_VALUES)
        return
    key = rng.choice(list(target))
    kind = rng.randrange(5)
    if kind == 0:
        del target[key]
    elif kind == 1:
        target[key] = copy.deepcopy(rng.choice(STRANGE_VALUES))
    elif kind == 2:
        donor = rng.choice(donors)
        if isinstance(donor, dict) and donor:
            other = rng.choice(list(donor))
            target[rng.choice([key, other])] = copy.deepcopy(donor[other])
    elif kind == 3:
        target[rng.choice(["content", "text", "type", "id", "messages", key + "x"])] = target.pop(key)
    elif isinstance(target[key], str):
        text = target[key]
        cut = rng.randrange(len(text) + 1)
        target[key] = rng.choice([text[:cut], text + text, text[::-1], text + "\n\u2028" + text[:cut]])


def mutate_list(rng, target, donors):
    """Changes one element of a list."""
    place = rng.randrange(len(target) + 1)
    kind = rng.randrange(5)
    if kind == 0 and target:
        del target[rng.randrange(len(target))]
    elif kind == 1 and target:
        target.insert(place, copy.deepcopy(rng.choice(target)))
    elif kind == 2:
        rng.shuffle(target)
    elif kind == 3:
        target.insert(place, copy.deepcopy(rng.choice(donors)))
    else:
        target.insert(place, copy.deepcopy(rng.choice(STRANGE_VALUES)))


def mutate_record(rng, line, donors):
    """Returns a record with up to three changes inside, or the line where it is not JSON."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    for _ in range(rng.randint(1, 3)):
        containers = nested_containers(record)
        if not containers:
            break
        target = rng.choice(containers)
        if isinstance(target, dict):
            mutate_object(rng, target, donors)
        else:
            mutate_list(rng, target, donors)
    separators = rng.choice([None, (",", ":")])
    return json.dumps(record, ensure_ascii=rng.random() < 0.5, separators=separators).encode(
        "utf-8", "surrogatepass" if rng.random() < 0.1 else "replace"
    )


def mutate_bytes(rng, log):
    """Returns a log with bytes cut, changed or put in."""
    place = rng.randrange(len(log) + 1)
    return rng.choice([
        log[:place],
        log[:place] + bytes([rng.randrange(256)]) + log[place + 1 :],
        log[:place] + rng.choice([b"\n", b"\r\n", b"\n\n\n", b"\x00", b"{", b"]", b'"', b"\\", b"\xff"]) + log[place:],
        b"\xef\xbb\xbf" + log,
        log.replace(b"\n", b"\r\n"),
        log.rstrip(b"\n"),
    ])  # fmt: skip


def make_log(rng, corpus):
    """Returns the file name and the bytes of a mutated log."""
    name, log = rng.choice(corpus)
    _, other = rng.choice(corpus)
    donors = []
    for line in other.splitlines()[:50]:
        try:
            donors += nested_containers(json.loads(line))
        except ValueError:
            continue
    donors = donors or [{"role": "user", "content": "Hello there"}]
    # A document of several lines is one record.
    is_document = not is_json(log.splitlines()[0] if log.strip() else b"")
    lines = [log] if is_document else log.splitlines()
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(lines)) if lines else 0
        kind = rng.randrange(10)
        if kind < 6 and lines:
            lines[place] = mutate_record(rng, lines[place], donors)
        elif kind == 6 and len(lines) > 1:
            del lines[place]
        elif kind == 7 and not is_document:
            lines.insert(place, json.dumps(rng.choice(donors)).encode("utf-8", "replace"))
        elif kind == 8 and not is_document:
            rng.shuffle(lines)
    log = b"\n".join(lines) + b"\n"
    if rng.random() < 0.15:
        log = mutate_bytes(rng, log)
    return name, log


def is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


class Trial:
    """One log in a directory of its own, and the commands that ran on it."""

    def __init__(self, program, directory, name, log):
        self.program = program
        self.directory = directory
        self.name = name
        self.log = log
        self.commands = []
        (directory / name).write_bytes(log)

    def run(self, *arguments):
        """Runs the program. Raises if it hangs, crashes, or ends with another status."""
        command = [str(self.program), *map(str, arguments)]
        self.commands.append(" ".join(["epitome", *map(str, arguments)]))
        environment = {"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000", "HOME": str(self.directory)}
        try:
            done = subprocess.run(
                command, cwd=self.directory, capture_output=True, timeout=TIMEOUT_SECONDS, env=environment, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise BrokenPromise(f"no end after {TIMEOUT_SECONDS} seconds") from error
        if done.returncode not in STATUSES or b"panicked" in done.stderr or b"a defect" in done.stderr:
            raise BrokenPromise(f"status {done.returncode}: {done.stderr[-600:].decode('utf-8', 'replace')}")
        return done

    def tree(self, folder):
        """Returns the bytes of all files below a folder by their relative names."""
        root = self.directory / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    def check(self, rng):
        """Runs all commands on the log. Raises if a promise is broken."""
        policy = rng.choice(POLICIES)
        planned = json_lines(self.run("plan", "--json", self.name, *policy).stdout)
        first = self.run("compact", self.name, "-o", "first", "-j1", *policy)
        second = self.run("compact", self.name, "-o", "second", "-j2", *policy)
        if first.returncode != second.returncode or self.tree("first") != self.tree("second"):
            raise BrokenPromise("one thread and two write different trees")
        if not (self.directory / "first" / self.name).exists():
            self.check_unread(first)
            return
        self.check_restored()
        report = json.loads((self.directory / "first/report.json").read_bytes())
        entries = [entry for entry in report["transcripts"] if entry["status"] != "failed"]
        check_plan_is_done(planned, report["transcripts"])
        output = (self.directory / "first" / self.name).read_bytes()
        self.check_unchanged_lines(report["transcripts"], output)
        self.check_formats(entries)
        other = rng.choice(OTHER_COMMANDS)
        self.run(other[0], self.name, *other[1:])

    def check_unread(self, done):
        """Holds an input that can't be read as a whole to its message. There is nothing to restore."""
        if done.returncode != 3 or b"it is not written" not in done.stderr:
            raise BrokenPromise(f"no output, but status {done.returncode}")

    def check_restored(self):
        self.run("restore", "first", "-o", "back")
        if (self.directory / "back" / self.name).read_bytes() != self.log:
            raise BrokenPromise("restore does not give the input back")

    def check_unchanged_lines(self, entries, output):
        """Holds the lines of unchanged transcripts against the input."""
        # A byte order mark and carriage returns at the ends of lines are no part of a record.
        before = [line.removesuffix(b"\r") for line in self.log.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
        after = [line.removesuffix(b"\r") for line in output.split(b"\n")]
        numbers = [entry["line"] for entry in entries]
        if len(before) != len(after) or None in numbers or len(set(numbers)) != len(numbers):
            return
        for entry in entries:
            index = entry["line"] - 1
            if entry["status"] != "compacted" and before[index] != after[index]:
                raise BrokenPromise(f"line {entry['line']} is {entry['status']} and differs")

    def check_formats(self, entries):
        """Reads the output again and compares the format of each transcript."""
        again = json_lines(self.run("plan", "--json", f"first/{self.name}").stdout)
        formats = {(entry["thread_id"], entry["format"]) for entry in entries if entry["status"] == "unchanged"}
        found = {(entry["thread_id"], entry["format"]) for entry in again}
        if len(again) == len(entries) and not formats <= found:
            raise BrokenPromise(f"read as other formats again: {sorted(formats - found)[:3]}")


def json_lines(output):
    return [json.loads(line) for line in output.splitlines() if line.strip()]


def check_plan_is_done(planned, entries):
    """Holds the plan against the report, transcript by transcript.

    What can't be written or summarised fails in `compact` only.
    """
    failed = Counter((entry["thread_id"], entry["line"]) for entry in entries if entry["status"] == "failed")
    reports = [plan_key(entry) for entry in entries if entry["status"] != "failed"]
    planned = [plan_key(plan) for plan in planned]
    plans = []
    for plan in planned:
        # Transcripts may have their name and line in common.
        if len(plans) < len(reports) and plan == reports[len(plans)]:
            plans.append(plan)
        elif not failed[plan[0], plan[1]]:
            raise BrokenPromise(f"compact did not do what plan said: {plan}")
    if plans != reports:
        raise BrokenPromise(f"compact did what plan did not say: {reports[len(plans)]}")


def plan_key(entry):
    keys = ["thread_id", "line", "format", "messages_before", "tokens_before", "messages_after"]
    return tuple(entry[key] for key in keys)


def save_finding(keep, number, trial, error):
    folder = keep / f"{number:06}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / trial.name).write_bytes(trial.log)
    (folder / "finding.txt").write_text("\n".join([str(error), *trial.commands]) + "\n", "utf-8", "replace")
    print(f"{folder}: {error}", file=sys.stderr)


def main():
    arguments = parse_arguments()
    program = arguments.program.resolve()
    seed = arguments.seed if arguments.seed is not None else random.randrange(2**32)
    corpus = read_corpus(arguments.folders)
    if not corpus:
        sys.exit("no logs found; name a folder with .json or .jsonl files")
    end = time.monotonic() + arguments.seconds
    number = findings = 0
    while number < arguments.logs if arguments.logs is not None else time.monotonic() < end:
        rng = random.Random(f"{seed}/{number}")
        name, log = make_log(rng, corpus)
        directory = pathlib.Path(tempfile.mkdtemp(prefix="fuzz-program-"))
        trial = Trial(program, directory, name, log)
        try:
            trial.check(rng)
        except (BrokenPromise, OSError, ValueError, KeyError) as error:
            findings += 1
            save_finding(arguments.keep, number, trial, error)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        number += 1
    print(f"{number} logs with seed {seed}: {findings} broke a promise")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
