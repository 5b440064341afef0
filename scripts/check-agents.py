#!/usr/bin/env python3
"""Compares the presets of live agents with recorded decisions of the real programs.

    scripts/check-agents.py target/release/epitome [FOLDER]

FOLDER (default: fixtures/presets) has a file PRESET.jsonl, or PRESET/cases.jsonl. A line is {name, config, messages, expected}: messages in OpenAI chat form, what the real program was configured with,
and what it decided. A long text may be {"$repeat": [TEXT, TIMES]} or
{"$join": [..]}. Every difference is a line; the exit status is 1 if there is one.
docs/reference/presets.md says what the keys of config are here.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile


def expand(value):
    """Writes out the long texts of a case."""
    if isinstance(value, dict):
        if list(value) == ["$repeat"]:
            text, times = value["$repeat"]
            return expand(text) * times
        if list(value) == ["$join"]:
            return "".join(expand(part) for part in value["$join"])
        return {key: expand(part) for key, part in value.items()}
    if isinstance(value, list):
        return [expand(part) for part in value]
    return value


class Epitome:
    """Runs the program on conversations."""

    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.folder = tempfile.TemporaryDirectory()

    def run(self, command, messages, preset, options, policy=""):
        """Returns the working directory and the standard output of a run. Messages may be a record."""
        work = tempfile.mkdtemp(dir=self.folder.name)
        record = messages if isinstance(messages, dict) else {"messages": messages}
        record = {"thread_id": "t", **record}
        with open(f"{work}/in.jsonl", "w") as file:
            file.write(json.dumps(record) + "\n")
        with open(f"{work}/policy.toml", "w") as file:
            file.write(f'preset = "{preset}"\n{policy}')
        words = [self.binary, command, f"{work}/in.jsonl", "--config", f"{work}/policy.toml", *options]
        if command != "plan":
            words += ["-o", f"{work}/out"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return work, done.stdout

    def plan(self, messages, preset, options=(), policy=""):
        """Returns the plan of one call over all messages."""
        _, out = self.run("plan", messages, preset, ["--json", *options], policy)
        return json.loads(out.splitlines()[0])

    def compact(self, messages, preset, options=(), policy=""):
        """Returns the compacted messages."""
        work, _ = self.run("compact", messages, preset, list(options), policy)
        with open(f"{work}/out/in.jsonl") as file:
            return json.loads(file.readline())["messages"]


def edit(plan, kind):
    return [entry for entry in plan["edits"] if entry["edit"] == kind]


def summary(plan):
    found = edit(plan, "summarize")
    return found[0] if found else None


def check_swe_agent(epitome, case):
    config, messages = case["config"], case["messages"]
    if "error" in case["expected"]:
        return None
    policy = f"[prune]\nkeep = {config['n']}\npolling = {config.get('polling', 1)}\n"
    after = epitome.compact(messages, "swe-agent-last-n", policy=policy)
    texts = {
        str(index): now["content"]
        for index, (before, now) in enumerate(zip(messages, after))
        if before["content"] != now["content"]
    }
    return {"cleared": sorted(map(int, texts)), "texts": texts}


def check_openhands(epitome, case):
    config, messages = case["config"], case["messages"]
    if config.get("request"):
        return None
    size, first = config["max_size"], config["keep_first"]
    last = size // 2 - first - 1
    policy = f"[summarize]\ntrigger = [{{ events = {size + 1} }}]\nkeep = {{ events = {last} }}\nkeep_first = {first}\n"
    plan = epitome.plan(messages, "openhands", policy=policy)
    made = summary(plan)
    if made is None:
        return {"reasons": [], "forgotten": None, "summary_at": None, "kept": len(messages)}
    gone = made["messages"]
    return {
        "reasons": ["EVENTS"],
        "forgotten": [gone[0], len(gone)],
        "summary_at": len(made["kept_system"]),
        "kept": len(messages) - len(gone) + 1,
    }


def check_pi(epitome, case):
    config, messages = case["config"], case["messages"]
    reserve = config.get("reserveTokens", 16384)
    recent = config.get("keepRecentTokens", 20000)
    overflow = f"[overflow]\nreserved = {reserve}\nmax_output = {reserve}\noutput = {reserve}\n"
    window = ["--max-input-tokens", str(config["window"])]
    # The real program reports 1,010 tokens where an answer reports none.
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    messages = [dict(m, usage=m.get("usage", usage)) if m["role"] == "assistant" else m for m in messages]
    fires = summary(epitome.plan(messages, "pi", window, f"[summarize]\nkeep = {{ turns = 0 }}\n{overflow}"))
    cut = summary(
        epitome.plan(messages, "pi", window, f"[summarize]\ntrigger = [{{ messages = 1 }}]\nkeep = {{ recent = {recent} }}\n")
    )
    expected = case["expected"]
    if cut is not None:
        cut = {"first_kept": cut["first_kept"]}
    return {
        "fires": fires is not None,
        "cut": cut,
    }, {
        "fires": expected["fires"],
        "cut": expected["cut"] and {"first_kept": expected["cut"]["first_kept"]},
    }


def cut(plan):
    """Returns whether a plan summarizes, and the first message that stays."""
    made = summary(plan)
    return {"fires": made is not None, "first_kept": made["first_kept"] if made else None}


def check_claude_code(epitome, case):
    config, expected = case["config"], case["expected"]
    policy = f"[overflow]\noutput = {config['max_output']}\n" if "max_output" in config else ""
    if "percent" in config:
        policy += f"[summarize]\ntrigger = [{{ tokens = {(config['window'] - 20000) * config['percent'] // 100} }}]\n"
    plan = epitome.plan(case["messages"], "claude-code", ["--max-input-tokens", str(config["window"])], policy)
    # What the program adds to a result by itself is not in the messages.
    why = next(reason["why"] for reason in plan["reasons"] if reason["stage"] == "summarize")
    tokens = int(re.search(r"(\d+) of \d+ tokens", why)[1])
    is_near = expected["tokens"] is None or abs(tokens - expected["tokens"]) < 60
    return {**cut(plan), "tokens": expected["tokens"] if is_near else tokens}


def check_cline(epitome, case):
    config = case["config"]
    # The program takes 90 % of a window for the input limit.
    window = ["--max-input-tokens", str(config["window"] * 9 // 10)]
    policy = f"[summarize]\nkeep = {{ back = {config['preserve']} }}\n"
    return cut(epitome.plan(case["messages"], "cline", window, policy))


def check_gemini(epitome, case):
    config, messages, expected = case["config"], case["messages"], case["expected"]
    if config["what"] == "split":
        keep = round(1 - config["share"], 6)
        policy = f"[summarize]\ntrigger = [{{ messages = 1 }}]\nkeep = {{ characters = {keep} }}\n[prune]\nenabled = false\n"
        made = summary(epitome.plan(messages, "gemini-cli", policy=policy))
        return {"first_kept": made["first_kept"] if made else 0}
    if config["what"] == "mask":
        plan = epitome.plan(messages, "gemini-cli", policy="[summarize]\ntrigger = []\n")
        masked = sorted(entry["message"] for entry in edit(plan, "prune"))
        return {"masked": masked, "count": len(masked)}
    last = max(index for index, m in enumerate(messages) if m["role"] == "assistant")
    usage = {"prompt_tokens": config["last_prompt_tokens"], "completion_tokens": 1}
    messages = [dict(m, usage=usage) if index == last else m for index, m in enumerate(messages)]
    share = config.get("threshold", 0.5)
    policy = f"[summarize]\ntrigger = [{{ fraction = {share} }}]\n"
    made = summary(epitome.plan(messages, "gemini-cli", ["--max-input-tokens", "1048576"], policy))
    kept = len(messages) - made["first_kept"] if made else None
    history = expected["history"]
    return {"fires": made is not None, "kept": kept}, {
        "fires": expected["status"] == 1,
        "kept": len(history) - 2 if history else None,
    }


def kept_text(parts):
    """Describes the parts of a kept message by the text that they make."""
    return [
        {"chars": len(part), "sha256": hashlib.sha256(part.encode()).hexdigest()} if len(part) > 200 else part
        for part in parts
    ]


def check_codex(epitome, case):
    config, messages, expected = case["config"], case["messages"], case["expected"]
    options = ["--max-input-tokens", str(config["window"])]
    policy = ""
    if "auto_compact_token_limit" in config:
        policy = f"[summarize]\ntrigger = [{{ tokens = {config['auto_compact_token_limit']} }}]\n"
    found, wanted = [], []
    history, place = [], 0
    compactions = list(expected["compactions"])
    for decision in expected["decisions"]:
        history += messages[place : decision["after"] + 1]
        place = decision["after"] + 1
        if decision["when"] == "no next message":
            continue
        plan = epitome.plan(history, "codex", options, policy)
        made = summary(plan)
        found.append([decision["after"], made is not None])
        wanted.append([decision["after"], decision["fires"]])
        if made is None or not decision["fires"]:
            continue
        compacted = epitome.compact(history, "codex", options, policy)
        kept = [m["content"] for m in compacted[:-1]]
        found.append(kept_text(kept))
        wanted.append(kept_text(expected_texts(compactions.pop(0), kept)))
        history = compacted
    return found, wanted


def expected_texts(compaction, kept):
    """Returns the texts that Codex kept. A part that is recorded by its length is taken from `kept`
    if its hash is equal."""
    texts = []
    for number, parts in enumerate(compaction["kept"]):
        text, mine = "", kept[number] if number < len(kept) else ""
        for part in parts:
            if isinstance(part, dict):
                piece = mine[len(text) : len(text) + part["chars"]]
                same = hashlib.sha256(piece.encode()).hexdigest() == part["sha256"]
                text += piece if same else "?" * part["chars"]
            else:
                text += part
        texts.append(text)
    return texts


def amount(value):
    """Writes a threshold ["tokens", 5], or {"tokens": 5, "messages": 2}, as an inline table."""
    pairs = value.items() if isinstance(value, dict) else [value]
    return "{ " + ", ".join(f"{kind} = {number}" for kind, number in pairs) + " }"


def deepagents_policy(config):
    """Writes the configuration of the middlewares as a policy."""
    lines = ['counter = "approx"', 'model = "fake:fake"']
    if "max_input_tokens" in config:
        lines.append(f"max_input_tokens = {config['max_input_tokens']}")
    if config.get("llm_type") == "anthropic-chat":
        lines.append("chars_per_token = 3.3")
    lines += ["[evict]", f"tokens = {config['evict_tokens'] or 0}", f"human_tokens = {config.get('human_evict_tokens', 0)}"]
    cut = config["truncate_args"]
    lines += ["[truncate]", f"trigger = [{amount(cut['trigger'])}]", f"keep = {amount(cut['keep'])}", f"max_length = {cut['max_length']}"]
    lines += [f"text = {json.dumps(cut['truncation_text'])}"] if "truncation_text" in cut else []
    lines += ["[summarize]", 'on_growth = "allow"']
    if "trigger" in config:
        trigger = config["trigger"]
        is_list = isinstance(trigger, list) and not isinstance(trigger[0], str)
        clauses = trigger if is_list else [trigger] if trigger else []
        lines.append(f"trigger = [{', '.join(map(amount, clauses))}]")
    if "keep" in config:
        lines.append(f"keep = {amount(config['keep'])}")
    lines += ["[archive]", 'results_prefix = "/large_tool_results"']
    if "output_tokens" in config:
        lines += ["[overflow]", f"output = {config['output_tokens']}"]
    return "\n".join(lines) + "\n"


def parsed(message):
    """Returns a message with the arguments of its calls as values: their spelling is free."""
    calls = [dict(call["function"], arguments=json.loads(call["function"]["arguments"])) for call in message.get("tool_calls") or []]
    return dict(message, tool_calls=calls)


def check_deepagents(epitome, case):
    config, messages, expected = case["config"], case["messages"], case["expected"]
    policy = deepagents_policy(config)
    if config.get("tools"):
        messages = {"messages": messages, "tools": config["tools"]}
    plan = epitome.plan(messages, "deepagents-0.7", policy=policy)
    made = summary(plan)
    after = epitome.compact(messages, "deepagents-0.7", policy=policy)
    kept = after[len(after) - len(expected["kept"]) :]
    wanted = [expected["changed"].get(str(index), case["messages"][index]) for index in expected["kept"]]
    found = {
        "total_tokens": plan["total_tokens"],
        "evicted": [entry["call_id"] for entry in edit(plan, "evict") if not entry.get("human")],
        "truncated_args": len(edit(plan, "truncate")),
        "cutoff_index": made["cutoff"] if made else None,
        "kept": list(map(parsed, kept)),
    }
    wanted = {key: expected.get(key) for key in found} | {"kept": list(map(parsed, wanted))}
    return found, wanted


def check_context_editing(epitome, case):
    config, messages = case["config"], case["messages"]
    names = {"clear_tool_inputs": "clear_inputs", "exclude_tools": "protect_tools"}
    keys = [f"{names.get(key, key)} = {json.dumps(value)}\n" for key, value in config.items()]
    policy = "[prune]\n" + "".join(keys)
    plan = epitome.plan(messages, "langchain-context-editing", policy=policy)
    after = epitome.compact(messages, "langchain-context-editing", policy=policy)
    cleared = [entry["message"] for entry in edit(plan, "prune")]
    pairs = zip(messages, after)
    calls = [call for before, now in pairs for call in zip(before.get("tool_calls", []), now.get("tool_calls", []))]
    found = {
        "tokens": plan["tokens_before"],
        "cleared": cleared,
        "tokens_after": plan["tokens_after"],
        "inputs_cleared": [before["id"] for before, now in calls if before != now],
        "texts": [after[index]["content"] for index in cleared],
    }
    return found, case["expected"] | {"texts": [config.get("placeholder", "[cleared]")] * len(cleared)}


CHECKS = {
    "langchain-context-editing": check_context_editing,
    "deepagents-0.7": check_deepagents,
    "swe-agent-last-n": check_swe_agent,
    "claude-code": check_claude_code,
    "cline": check_cline,
    "codex": check_codex,
    "pi": check_pi,
    "gemini-cli": check_gemini,
    "openhands": check_openhands,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", nargs="?", default=os.path.join(os.path.dirname(__file__), "../fixtures/presets"))
    arguments = parser.parse_args()
    epitome = Epitome(arguments.binary)
    failed = 0
    for preset, check in CHECKS.items():
        names = [f"{preset}.jsonl", f"{preset}/cases.jsonl"]
        path = next(filter(os.path.exists, (os.path.join(arguments.folder, name) for name in names)), None)
        if path is None:
            continue
        same = differ = left_out = 0
        for line in open(path):
            case = expand(json.loads(line))
            result = check(epitome, case)
            if result is None:
                left_out += 1
                continue
            found, wanted = result if isinstance(result, tuple) else (result, case["expected"])
            if found == wanted:
                same += 1
            else:
                differ += 1
                print(f"{preset} {case['name']}: {json.dumps(found)[:400]}, not {json.dumps(wanted)[:400]}")
        print(f"{preset}: {same} same, {differ} differ, {left_out} left out")
        failed += differ
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
