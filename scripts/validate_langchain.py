#!/usr/bin/env python3
"""Compacts files of LangChain messages and loads the result with langchain_core's own loaders.

    scripts/validate_langchain.py EPITOME FILE...

What loaded before must load after; no tool message may have lost its call; the summary must be marked as
LangChain's middleware marks it. TRIGGER and KEEP (default: messages=4, messages=3) say when to compact and
what stays. Exit status 1 if something is broken. Needs a python that can import langchain_core.
"""
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from langchain_core.load import load
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, messages_from_dict
from pydantic import TypeAdapter

ANY = TypeAdapter(AnyMessage)
KEYS = ("thread_id", "session_id", "conversation_id", "id")


def message(item):
    """One message in any of the three spellings, by the loader that is made for it."""
    if "lc" in item:
        return load(item)
    if "data" in item:
        return messages_from_dict([item])[0]
    return ANY.validate_python(item)


def read(path):
    """name -> messages: of one document, or of lines that are conversations or messages."""
    text = path.read_text(encoding="utf-8")
    try:
        records = [json.loads(text)]
    except ValueError:
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
    threads = {}
    for number, record in enumerate(records):
        state = record.get("values", record) if isinstance(record, dict) else {}
        items = record if isinstance(record, list) else state.get("messages")
        if items is None:
            name = next((record[key] for key in KEYS[:3] if record.get(key)), "lines")
            threads.setdefault(name, []).append(message(record))
            continue
        loaded = [message(item) for item in items if item.get("type") != "remove"]
        event = state.get("_summarization_event")
        if event:
            loaded = [message(event["summary_message"]), *loaded[event["cutoff_index"] :]]
        threads[f"record {number}"] = loaded
    return threads


def orphans(messages):
    """Tool messages that answer no call before them."""
    calls, found = set(), []
    for one in messages:
        if isinstance(one, AIMessage):
            calls |= {call["id"] for call in [*one.tool_calls, *one.invalid_tool_calls]}
        elif isinstance(one, ToolMessage) and one.tool_call_id not in calls:
            found.append(one.tool_call_id)
    return found


def check(epitome, file, work):
    """What is wrong with the result for one file, and what was done."""
    out = work / "out"
    policy = ["--trigger", os.environ.get("TRIGGER", "messages=4"), "--keep", os.environ.get("KEEP", "messages=3")]
    # Started beside the input, so that the output has the same plain name.
    ran = subprocess.run([epitome, "compact", f"./{file.name}", "-o", out, "--format", "langchain", "--quiet", *policy], cwd=file.parent)
    if ran.returncode != 0:
        return [f"epitome compact ended with status {ran.returncode}"], "not compacted"
    entries = json.loads((out / "report.json").read_text(encoding="utf-8"))["transcripts"]
    before, after = read(file), read(out / file.name)
    wrong = [f"{entry['thread_id']}: {entry['error']}" for entry in entries if entry["status"] == "failed"]
    if list(before) != list(after):
        wrong.append(f"conversations {list(before)} became {list(after)}")
    for name, messages in after.items():
        lost = set(orphans(messages)) - set(orphans(before.get(name, [])))
        if lost:
            wrong.append(f"{name}: results without their call: {', '.join(sorted(lost))}")
    summaries = sum(isinstance(one, HumanMessage) and one.additional_kwargs.get("lc_source") == "summarization" for one in sum(after.values(), []))
    summarized = sum(entry["summarized"] for entry in entries)
    if summaries < summarized:
        wrong.append(f"{summarized} summaries were written, {summaries} load as such")
    counts = [sum(map(len, threads.values())) for threads in (before, after)]
    return wrong, f"{len(entries)} conversations, {summarized} summarised, {counts[0]} messages load before, {counts[1]} after"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    epitome, broken = str(Path(sys.argv[1]).resolve()), False
    for name in sys.argv[2:]:
        if not Path(name).is_file():
            sys.exit(f"validate_langchain.py: no such file: {name}")
        with tempfile.TemporaryDirectory() as work:
            wrong, done = check(epitome, Path(name).resolve(), Path(work))
        print(f"{name}: {done}, broken {len(wrong)}")
        for line in wrong:
            print(f"  {line}")
        broken = broken or bool(wrong)
    sys.exit(broken)


if __name__ == "__main__":
    main()
