#!/usr/bin/env python3
"""Runs epitome against a model server that others wrote (npm package @copilotkit/aimock), well behaved and badly.

Usage: run.py EPITOME. Needs node, and `npm ci` in this directory before. Request files are also checked with the
types of the official clients, where the Python packages openai and anthropic are installed.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
KEY = "sk-servers-0f1e2d3c4b5a69788796a5b4"
CUT = ["--trigger", "messages=6", "--keep", "messages=2"]
TALKS = 12


class Server:
    """One aimock, on a port of its own."""

    def __init__(self, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        program = HERE / "node_modules/@copilotkit/aimock/dist/cli.js"
        words = ["node", program, "-p", str(port), "-f", HERE / "answers.json", "--log-level", "silent", *options]
        self.process = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(200):
            try:
                urllib.request.urlopen(self.url + "/health", timeout=1).read()
                return self
            except urllib.error.HTTPError:
                return self
            except OSError:
                assert self.process.poll() is None, "the server ended"
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def talk(thread, messages=40):
    text = "Step {} of {}: the importer reads the bookings, compares each with the bank's statement and notes what differs."
    turns = [{"role": ["user", "assistant"][n % 2], "content": text.format(n, thread)} for n in range(messages)]
    return json.dumps({"thread_id": thread, "messages": turns})


class Folder:
    def __init__(self, epitome):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.epitome = str(pathlib.Path(epitome).resolve())
        self.said = ""
        (self.path / "in.jsonl").write_text("".join(talk(f"t{n}") + "\n" for n in range(TALKS)))
        (self.path / "prompt.txt").write_text("In one line:\n{messages}")

    def run(self, *words, status=0):
        environment = {**os.environ, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
        done = subprocess.run([self.epitome, *map(str, words)], cwd=self.path, env=environment, capture_output=True, text=True)
        self.said += done.stdout + done.stderr
        assert done.returncode == status, f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def compact(self, server, output, model, *options):
        self.run("compact", "in.jsonl", "-o", output, *CUT, "--summarizer", "http", "--set", f"summarizer.model={model}", "--set", f"summarizer.base_url={server.url}", *options)
        return json.loads((self.path / output / "report.json").read_text())["totals"]

    def keeps_the_key(self):
        assert KEY not in self.said, "the key was said"
        for path in self.path.rglob("*"):
            assert not path.is_file() or KEY.encode() not in path.read_bytes(), f"{path} holds the key"


def good_answers(epitome):
    for model in ["gpt-4o-mini", "anthropic:claude-haiku-4-5"]:
        folder = Folder(epitome)
        with Server() as server:
            totals = folder.compact(server, "out", model, "--set", "summarizer.cache=cache")
            assert totals["compacted"] == TALKS and totals["asked"]["calls"] == TALKS and totals["asked"]["retries"] == 0, totals
            assert "All were compared." in (folder.path / "out/in.jsonl").read_text()
        # The server is gone: the answers are in the cache.
        totals = folder.compact(server, "again", model, "--set", "summarizer.cache=cache")
        assert totals["asked"]["calls"] == 0 and totals["asked"]["cache_hits"] == TALKS, totals
        assert (folder.path / "out/in.jsonl").read_bytes() == (folder.path / "again/in.jsonl").read_bytes()
        folder.keeps_the_key()


def bad_manners(epitome):
    """With so many retries that one in three calls may fail."""
    for chaos in ["ratelimit", "disconnect", "malformed", "drop"]:
        folder = Folder(epitome)
        with Server(f"--chaos-{chaos}", "0.34") as server:
            start = time.monotonic()
            totals = folder.compact(server, "out", "gpt-4o-mini", "--set", "summarizer.cache=cache", "--set", "summarizer.retries=30")
            seconds = time.monotonic() - start
        assert totals["compacted"] == TALKS, (chaos, totals)
        print(f"  {chaos}: {totals['asked']['retries']} retries in {seconds:.1f} s")
        folder.keeps_the_key()


def batches(epitome):
    folder = Folder(epitome)
    # The server answers every batch with the same words: no headings may be demanded.
    asks = [*CUT, "--set", "summarizer.model=openai:gpt-4o-mini", "--set", "summarizer.prompt=@prompt.txt", "--set", "summarizer.cache=", "--max-requests", "5"]
    folder.run("requests", "export", "in.jsonl", "-o", "requests", *asks)
    with Server() as server:
        base = ["requests", "--set", f"summarizer.base_url={server.url}"]
        folder.run("requests", "submit", *base)
        for _ in range(100):
            if "all results are there" in folder.run("requests", "fetch", *base):
                break
            time.sleep(0.1)
        assert "is completed, 5 of 5 answered" in folder.run("requests", "status", *base)
    told = folder.run("requests", "apply", "requests", "-o", "out")
    assert f"{TALKS} results: {TALKS} summaries written, 0 failed, 0 missing" in told, told
    assert (folder.path / "out/in.jsonl").read_text().count("Mock batch completion") == TALKS
    folder.keeps_the_key()


def killed_submissions(epitome):
    """A submission that is killed wherever it names a file makes one batch, with the next."""
    if not shutil.which("strace"):
        print("  skipped: strace is not installed")
        return
    kills = 0
    while True:
        folder = Folder(epitome)
        folder.run("requests", "export", "in.jsonl", "-o", "requests", *CUT, "--set", "summarizer.model=openai:gpt-4o-mini", "--set", "summarizer.cache=")
        with Server() as server:
            submit = ["requests", "submit", "requests", "--set", f"summarizer.base_url={server.url}"]
            calls = "?rename,?renameat,?renameat2"
            trace = ["strace", "-f", "-qq", "-o", folder.path / "trace", "-e", f"trace={calls}"]
            inject = ["-e", f"inject={calls}:signal=KILL:when={kills + 1}"]
            environment = {**os.environ, "OPENAI_API_KEY": KEY}
            words = [*trace, *inject, folder.epitome, *submit]
            subprocess.run(list(map(str, words)), cwd=folder.path, env=environment, capture_output=True)
            if "killed by SIGKILL" not in (folder.path / "trace").read_text():
                break
            folder.run(*submit)
            with urllib.request.urlopen(server.url + "/v1/batches") as listed:
                batches = json.load(listed)["data"]
            assert len(batches) == 1, f"kill {kills + 1}: {len(batches)} batches"
        kills += 1
    assert kills > 2, kills
    print(f"  {kills} kills, one batch after each")


def request_types(epitome):
    try:
        import anthropic  # noqa: F401
        import openai  # noqa: F401
        from pydantic import TypeAdapter
    except ImportError as missing:
        print(f"  skipped: {missing.name} is not installed")
        return
    from anthropic.types.messages.batch_create_params import Request
    from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

    def check(kind, value):
        """Also what the types would look at only when it is used, and keys that they do not know."""
        seen = TypeAdapter(kind).validate_python(value)
        known = set(kind.__annotations__) | {key for base in kind.__mro__ for key in getattr(base, "__annotations__", {})}
        assert set(value) <= known, set(value) - known
        return json.loads(json.dumps(seen, default=list))

    folder = Folder(epitome)
    options = [*CUT, "--set", "summarizer.temperature=0.5", "--set", "summarizer.max_output_tokens=900", "--set", "summarizer.cache="]
    folder.run("requests", "export", "in.jsonl", "-o", "openai", *options, "--set", "summarizer.model=openai:gpt-5.2")
    lines = (folder.path / "openai/requests-0001.jsonl").read_text().splitlines()
    assert len(lines) == TALKS
    for line in map(json.loads, lines):
        assert set(line) == {"custom_id", "method", "url", "body"}
        seen = check(CompletionCreateParamsNonStreaming, line["body"])
        assert len(list(seen["messages"])) == 2
    folder.run("requests", "export", "in.jsonl", "-o", "anthropic", *options, "--set", "summarizer.model=anthropic:claude-sonnet-4-5")
    requests = json.loads((folder.path / "anthropic/requests-0001.json").read_text())["requests"]
    assert len(requests) == TALKS
    for request in requests:
        seen = check(Request, request)
        assert len(list(seen["params"]["messages"])) == 1
    print(f"  {len(lines)} requests of OpenAI's form and {len(requests)} of Anthropic's")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for check in [good_answers, bad_manners, batches, killed_submissions, request_types]:
        print(f"{check.__name__}:")
        check(sys.argv[1])
    print("All as it should be.")
