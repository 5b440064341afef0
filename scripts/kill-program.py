#!/usr/bin/env python3
"""Kills runs of the program at random moments, and lets many run at once into one directory.

Usage: scripts/kill-program.py PROGRAM [--kills N] [--seed N] [--work DIR]

After each SIGKILL no file may be half under a final name. The next run, or `restore`, must leave
the files of a run that was never disturbed, and nothing else:

- `compact --force` over an earlier run: the old files or the new ones, and `restore` gives the
  inputs back exactly; also where the archive directory is another one,
- `compact` with a report elsewhere, `replay`, `restore` and `requests export`: the same files as if
  the killed run had not been.

Then 2, 3 and 8 runs start at once: one wins, or they queue, and their files are never mixed. One
seed chooses the same commands and parts of the duration. The script ends with status 1 at the first
broken promise, and leaves the files in the work directory.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RUN_DIRECTORY = ".epitome-run"
LEFTOVER = ".epitome-"
OLD = "--trigger messages=6 --keep messages=2"
NEW = "--trigger messages=4 --keep messages=1"


class BrokenPromise(Exception):
    """A promise that the program did not keep."""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--work", type=pathlib.Path, default=None)
    return parser.parse_args()


def conversation(name, messages):
    def message(number):
        role = "user" if number % 2 == 0 else "assistant"
        return {"role": role, "content": f"Step {number} of {name}: " + "to be looked at again " * 12}

    return json.dumps({"thread_id": name, "messages": [message(number) for number in range(messages)]}) + "\n"


class Workplace:
    """A directory with inputs, and the program run in it."""

    def __init__(self, program, directory):
        self.program = program.resolve()
        self.directory = directory
        self.environment = {"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": "1767225600"}

    def write_inputs(self, directory, files, messages):
        (self.directory / directory).mkdir(parents=True)
        for number in range(files):
            text = "".join(conversation(f"t{number}-{part}", messages + number) for part in range(3))
            (self.directory / directory / f"{number}.jsonl").write_text(text)

    def start(self, words):
        return subprocess.Popen(
            [self.program, *words.split()],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, words, statuses=(0,)):
        process = self.start(words)
        errors = process.communicate(timeout=120)[1]
        if process.returncode not in statuses or "panicked" in errors:
            raise BrokenPromise(f"{words}: status {process.returncode}\n{errors}")
        return process.returncode, errors

    def kill_after(self, words, seconds):
        """Returns true if the run was killed before it ended."""
        process = self.start(words)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=120)
        return process.returncode == -signal.SIGKILL

    def tree(self, *directories):
        """Returns the bytes of every file, but for those in the directories of runs."""
        return {
            str(path.relative_to(self.directory)): path.read_bytes()
            for directory in directories
            for path in sorted((self.directory / directory).rglob("*"))
            if path.is_file() and LEFTOVER not in str(path)
        }

    def remove(self, *directories):
        for directory in directories:
            shutil.rmtree(self.directory / directory, ignore_errors=True)

    def check_no_leftovers(self, what):
        left = [str(path) for path in self.directory.rglob(LEFTOVER + "*")]
        if left:
            raise BrokenPromise(f"{what}: leftovers {left}")


class Scenario:
    """A command that is killed, with the files before it and those of an undisturbed run."""

    def __init__(self, workplace, name, command, directories, before=(), again="--force"):
        self.workplace = workplace
        self.name = name
        self.command = command
        self.directories = directories
        self.before = before
        self.again = f"{command} {again}"
        self.prepare()
        self.old = workplace.tree(*directories)
        began = time.monotonic()
        workplace.run(command)
        self.duration = time.monotonic() - began
        self.new = workplace.tree(*directories)

    def prepare(self):
        self.workplace.remove(*self.directories)
        for words in self.before:
            self.workplace.run(words)

    def check(self, part):
        """Kills a run after a part of its duration. Returns true if it was still running."""
        self.prepare()
        was_running = self.workplace.kill_after(self.command, part * self.duration)
        what = f"{self.name}, killed after {part:.3f} of {self.duration:.3f} s"
        for name, content in self.workplace.tree(*self.directories).items():
            # The manifest is written in parts while a run without --force goes on.
            is_part = name.split("/")[-1].startswith("manifest")
            if not is_part and content not in (self.old.get(name), self.new.get(name)):
                raise BrokenPromise(f"{what}: {name} is neither the old nor the new")
        missing = [name for name in self.old if name in self.new and not (self.workplace.directory / name).exists()]
        if missing:
            raise BrokenPromise(f"{what}: lost {missing}")
        self.settle(what)
        return was_running

    def settle(self, what):
        status, errors = self.workplace.run(self.again, (0, 2))
        if status == 2 and "not empty" not in errors:
            raise BrokenPromise(f"{what}: the next run fails: {errors}")
        if self.workplace.tree(*self.directories) != self.new:
            raise BrokenPromise(f"{what}: the next run does not leave what an undisturbed one does")
        self.workplace.check_no_leftovers(what)


class ReplacingScenario(Scenario):
    """A command that replaces an earlier run: either of them can be restored."""

    def settle(self, what):
        archive = " --archive archive" if "archive" in self.directories else ""
        self.workplace.remove("back")
        self.workplace.run(f"restore out{archive} -o back --quiet")
        back = {name.replace("back/", "in/"): content for name, content in self.workplace.tree("back").items()}
        if back != self.workplace.tree("in"):
            raise BrokenPromise(f"{what}: restore does not give the inputs back")
        if self.workplace.tree(*self.directories) not in (self.old, self.new):
            raise BrokenPromise(f"{what}: neither the old whole nor the new whole")
        super().settle(what)
        self.workplace.remove("back")


def scenarios(workplace):
    old = f"compact in -o out --quiet {OLD}"
    archived = f"{old} --archive archive"
    new = f"compact in -o out --quiet --force {NEW}"
    export = f"requests export in -o out --quiet --set summarizer.model=m --set summarizer.cache= --max-requests 20 {NEW}"
    return [
        ReplacingScenario(workplace, "compact --force", new, ["out"], [old], again=""),
        ReplacingScenario(
            workplace, "compact --force --archive", f"{new} --archive archive", ["out", "archive"], [archived], again=""
        ),
        Scenario(workplace, "compact", f"compact in -o out --quiet --report report/r.html {NEW}", ["out", "report"]),
        Scenario(workplace, "replay", f"replay in -o out --quiet --segments {NEW}", ["out"]),
        Scenario(workplace, "restore", "restore compacted -o out --quiet", ["out"]),
        Scenario(workplace, "requests export", export, ["out"], again=""),
    ]


def check_crowd(workplace, runs, command, force):
    """Starts runs with inputs of their own into one directory."""
    workplace.remove("out")
    option = " --force" if force else ""
    whole = []
    for run in range(runs):
        workplace.run(f"{command} crowd/{run} -o out --quiet {NEW}")
        whole.append(workplace.tree("out"))
        workplace.remove("out")
    started = [workplace.start(f"{command} crowd/{run} -o out --quiet {NEW}{option}") for run in range(runs)]
    errors = [process.communicate(timeout=120)[1] for process in started]
    statuses = [process.returncode for process in started]
    what = f"{runs} runs of {command}{option} at once: {statuses}"
    wanted = [0] * runs if force else [0] + [2] * (runs - 1)
    if sorted(statuses) != wanted:
        raise BrokenPromise(f"{what}\n" + "\n".join(errors))
    winners = [whole[run] for run in range(runs) if statuses[run] == 0]
    if workplace.tree("out") not in winners:
        raise BrokenPromise(f"{what}: the files are of no single run")
    workplace.check_no_leftovers(what)


def main():
    arguments = parse_arguments()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**9)
    random.seed(seed)
    directory = arguments.work or pathlib.Path(tempfile.mkdtemp(prefix="kill-program-"))
    directory.mkdir(parents=True, exist_ok=True)
    workplace = Workplace(arguments.program, directory)
    try:
        workplace.write_inputs("in", files=12, messages=20)
        workplace.run(f"compact in -o compacted --quiet {OLD}")
        for run in range(8):
            workplace.write_inputs(f"crowd/{run}", files=3, messages=8 + run)
        all_scenarios = scenarios(workplace)
        kills = {scenario.name: 0 for scenario in all_scenarios}
        while sum(kills.values()) < arguments.kills:
            scenario = all_scenarios[sum(kills.values()) % len(all_scenarios)]
            kills[scenario.name] += scenario.check(random.uniform(0, 1.1))
        workplace.remove("out", "archive", "report")
        crowds = 0
        for runs in (2, 3, 8):
            for command in ("compact", "replay"):
                for force in (False, True):
                    check_crowd(workplace, runs, command, force)
                    crowds += 1
    except BrokenPromise as broken:
        print(f"seed {seed}: {broken}\nthe files are in {directory}", file=sys.stderr)
        return 1
    shutil.rmtree(directory)
    listed = ", ".join(f"{name} {count}" for name, count in kills.items())
    print(f"seed {seed}: {sum(kills.values())} runs killed ({listed}), {crowds} crowds of 2, 3 and 8: nothing lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
