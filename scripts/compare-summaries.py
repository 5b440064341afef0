#!/usr/bin/env python3
"""Prints what summaries answer at the same cuts and the same cost, as a Markdown table.

    scripts/compare-summaries.py --data DIR --questions FILE [--budget 512] [--epitome target/release/epitome]
        [--before OLD_EPITOME] [--texts NAME=FOLDER]... [--lcc]

DIR has sessions in OpenAI chat form, one a line (`*.jsonl`); FILE is as for `epitome evaluate --questions`, its cuts by
message. The rows, each marked by `epitome evaluate`:

- extract: the embedded summarizer of --epitome; with --before that of another binary, too
- newest text: the end of what is replaced
- local-context-compiler, if --lcc (start this script with a Python that has it). It drops blocks and knows no budget, so
  those that its own ranking (`specialist-v3`, trained on logs of Claude Code; no language model) puts first are taken
- NAME: the texts of a folder, such as a model's: `CUT.txt`, every character but letters, digits, `.`, `_`, `-` as `_`
"""
import argparse
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

FRAME = "Here is a summary of the conversation to date:\n\n"
POLICY = """preset = "deepagents"
counter = "o200k_base"
[evict]
tokens = 0
[truncate]
trigger = []
[summarize]
trigger = [{ messages = 1 }]
keep = { messages = 4 }
frame = "plain"
on_growth = "allow"
[summarizer]
"""


class Cut:
    """What is replaced of a session before a cut."""

    def __init__(self, name, messages):
        self.name = name
        end, head = int(name.rsplit("@", 1)[1]), 0
        while messages[head]["role"] in ("system", "developer"):
            head += 1
        tail = end - 4
        while tail > head and messages[tail]["role"] == "tool":
            tail -= 1
        self.prefix, self.replaced, self.kept = messages[:end], messages[head:tail], end - tail
        self.key = f"{name.rsplit('@', 1)[0]}@{len(self.replaced)}"
        self.text = "\n\n".join(f"{m['role']}: {told(m)}" for m in self.replaced)


def told(message):
    """Returns the text of a message and of its calls."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "\n".join(part.get("text") or "" for part in content)
    calls = [call["function"] for call in message.get("tool_calls") or []]
    return "\n".join([content] + [f"{call['name']} {call['arguments']}" for call in calls]).strip()


def cuts(data, questions):
    names = dict.fromkeys(json.loads(line)["cut"] for line in open(questions) if line.strip())
    sessions = {}
    for path in sorted(glob.glob(os.path.join(data, "*.jsonl"))):
        for line in open(path):
            record = json.loads(line)
            sessions[record.get("thread_id") or record.get("id")] = record["messages"]
    return [Cut(name, sessions[name.rsplit("@", 1)[0]]) for name in names]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in (0, 3) or not done.stdout and "-o" not in words:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr)
    return done.stdout


def write(path, records):
    with open(path, "w") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def fitted(options, folder, all_cuts, make):
    """Returns, for each cut, the largest text of `make(cut, share)` within the budget; the share is halved in."""
    low, high, best = [0.0] * len(all_cuts), [1.0] * len(all_cuts), [""] * len(all_cuts)
    for _ in range(12):
        shares = [(a + b) / 2 for a, b in zip(low, high)]
        texts = [make(cut, share) for cut, share in zip(all_cuts, shares)]
        asked = ({"id": cut.name, "messages": [{"role": "user", "content": text}]} for cut, text in zip(all_cuts, texts))
        path = write(os.path.join(folder, "texts.jsonl"), asked)
        counted = map(json.loads, run([options.epitome, "count", path, "--counter", "o200k_base", "--json", "--no-config"]).splitlines())
        tokens = [row["counts"]["tokens"] for row in counted if "thread_id" in row]
        for n, text in enumerate(texts):
            if tokens[n] <= options.budget:
                low[n], best[n] = shares[n], text
            else:
                high[n] = shares[n]
    return best


def newest(cut, share):
    length = int(len(cut.text) * share)
    return cut.text[-length:] if length else ""


def as_hook(message):
    """Returns a message in the form that local-context-compiler reads."""
    if message["role"] == "tool":
        return {"role": "tool", "toolResults": [{"id": message.get("tool_call_id") or "call", "text": told(message)}]}
    calls = []
    for call in message.get("tool_calls") or []:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            arguments = {"arguments": call["function"]["arguments"]}
        calls.append({"id": call.get("id") or "call", "name": call["function"]["name"], "input": arguments})
    return {"role": message["role"], "text": told({"content": message.get("content")}), "toolUses": calls}


@functools.cache
def ranked(cut):
    """Returns the blocks of local-context-compiler, each with its place, as its ranking puts them: the best first."""
    from lcc.relevance.blocks import split_blocks
    from lcc.relevance.specialist import load_judge, meta_for_blocks, render_transcript
    from lcc.relevance.transcript import parse_transcript

    text, segments = render_transcript(parse_transcript([as_hook(m) for m in cut.replaced]))
    blocks = split_blocks(text)
    meta = meta_for_blocks([(block.character_start, block.character_end) for block in blocks], segments)
    goal = next((told(m) for m in cut.replaced if m["role"] == "user"), "continue the work")
    scores = load_judge().score(goal, [block.text for block in blocks], meta)
    return [(block.index, block.text) for _, block in sorted(zip(scores, blocks), key=lambda pair: (-pair[0], pair[1].index))]


def compiled(cut, share):
    """Returns the blocks that local-context-compiler ranks best, a share of the text, in their order."""
    chosen, room = [], share * len(cut.text)
    for index, text in ranked(cut):
        if len(text) <= room:
            room -= len(text)
            chosen.append((index, text))
    return "\n\n".join(text for _, text in sorted(chosen))


def earlier(options, folder, all_cuts):
    """Returns the summaries of another binary."""
    policy = os.path.join(folder, "before.toml")
    with open(policy, "w") as file:
        file.write(POLICY + f'kind = "extract"\nbudget = {options.budget}\n')
    path = write(os.path.join(folder, "prefixes.jsonl"), ({"id": cut.name, "messages": cut.prefix} for cut in all_cuts))
    out = os.path.join(folder, "before")
    run([options.before, "compact", path, "--config", policy, "-o", out, "--quiet"])
    left = {}
    for line in open(os.path.join(out, "prefixes.jsonl")):
        record = json.loads(line)
        left[record["id"]] = [told(m) for m in record["messages"] if m["role"] not in ("system", "developer")]
    return ["\n".join(left[cut.name][: -cut.kept]).removeprefix(FRAME) for cut in all_cuts]


def read_texts(folder, all_cuts):
    names = (os.path.join(folder, re.sub(r"[^\w.-]", "_", cut.name) + ".txt") for cut in all_cuts)
    return [open(name).read() if os.path.exists(name) else "" for name in names]


def figures(options, folder, summarizer):
    """Returns the row of `evaluate` over all data."""
    policy = os.path.join(folder, "policy.toml")
    with open(policy, "w") as file:
        file.write(POLICY + f"kind = {json.dumps(summarizer)}\nbudget = {options.budget}\n")
    words = [options.epitome, "evaluate", options.data, "--config", policy, "--questions", options.questions, "--json", "--max-errors", "all"]
    return json.loads(run(words))["rows"][-1]


def main():
    if sys.argv[1:2] == ["--say"]:  # as a summarizer
        text = json.load(open(sys.argv[2]))[f"{os.environ['EPITOME_THREAD_ID']}@{os.environ['EPITOME_MESSAGES']}"]
        print(text or "(nothing)")
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--budget", type=int, default=512)
    parser.add_argument("--epitome", default="target/release/epitome")
    parser.add_argument("--before")
    parser.add_argument("--texts", action="append", default=[])
    parser.add_argument("--lcc", action="store_true")
    options = parser.parse_args()
    all_cuts = cuts(options.data, options.questions)
    print(f"| budget {options.budget} | tokens | answered | 95 % | misleading |\n|---|---:|---:|---|---:|")
    with tempfile.TemporaryDirectory() as folder:
        rows = {"extract": None}
        if options.before:
            rows["extract, before"] = earlier(options, folder, all_cuts)
        rows["newest text"] = fitted(options, folder, all_cuts, newest)
        if options.lcc:
            rows["local-context-compiler"] = fitted(options, folder, all_cuts, compiled)
        for named in options.texts:
            name, texts = named.split("=", 1)
            rows[name] = read_texts(texts, all_cuts)
        for name, texts in rows.items():
            summarizer = "extract"
            if texts is not None:
                said = os.path.join(folder, "said.json")
                json.dump({cut.key: text for cut, text in zip(all_cuts, texts)}, open(said, "w"))
                summarizer = f"command:{sys.executable} {os.path.abspath(__file__)} --say {said}"
            row = figures(options, folder, summarizer)
            answered, misleading = row["figures"]["answered"], row["figures"]["misleading"]
            interval = "-".join(f"{100 * bound:.0f}" for bound in answered["interval"] or [])
            print(f"| {name} | {row['tokens']} | {100 * answered['share']:.1f} % | {interval} | {misleading['kept']} |", flush=True)


if __name__ == "__main__":
    main()
